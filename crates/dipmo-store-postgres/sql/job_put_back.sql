-- Units of a job's lanes behind $3 that were put off, and are in no job, are ready as chunks of their own,
-- and head nothing. Earlier ones of their keys, which stayed in the job, may leave it now: due they would
-- overtake those. For one before $3, later ones of its key that are left in the job have to wait.
-- The mark is asked for outside, so that no other index than that of what is due can be taken.
with gone as materialized (
    select e.id, e.logged_at, e.lane, e.queue, e.order_key,
        exists (select from outbox_record_log k where k.id = e.id and k.created_at = e.logged_at) as records
    from unnest($1::varchar[], $2::int2[]) as l (destination, lane)
    cross join lateral (
        select id, logged_at, lane, queue, order_key from outbox_exception e
        where e.queue = l.destination and e.lane = l.lane and e.next_attempt_at <= now()
          and e.job_id is null and e.attempts + e.retried = 0
        offset 0) e
    where e.id > $3),
readied as (
    insert into outbox_ready (destination, lane, id, records, logged_at, ids)
    select queue, lane, id, records, logged_at, array[id] from gone),
ended as (
    update outbox_block b set released_to = greatest(b.released_to, b.head_id)
    from gone g
    where b.queue = g.queue and b.order_key = g.order_key and b.head_id = g.id)
delete from outbox_exception where id = any (array(select id from gone))
