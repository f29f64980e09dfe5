-- Held behind nothing would wait for ever: an operator, or a release, may have lifted the block
-- since the unit was read. What was held before it is ready again, so this one becomes ready too,
-- as a chunk of its own, and comes after that. Where the first of a key was tried before, it
-- becomes the head, due now, and the others are held behind it; so it does in a lane that a job holds, where
-- later ones of its key may be in the job.
with orphans as materialized (
    select e.id, e.logged_at, e.lane, e.queue, e.order_key, e.attempts + e.retried as attempts,
        first_value(e.attempts + e.retried) over w as first_attempts,
        row_number() over w as place, l.job_id is not null as in_job,
        exists (select from outbox_record_log k where k.id = e.id and k.created_at = e.logged_at) as records
    from unnest($1::varchar[], $2::varchar[], $3::int8[], $4::int2[]) as u (queue, order_key, id, lane)
    join outbox_exception e on e.id = u.id
    join outbox_lane l on l.destination = u.queue and l.lane = u.lane
    left join outbox_block b on b.queue = u.queue and b.order_key = u.order_key
    where b.order_key is null
    window w as (partition by e.queue, e.order_key order by e.id)),
readied as (
    insert into outbox_ready (destination, lane, id, records, logged_at, ids)
    select queue, lane, id, records, logged_at, array[id] from orphans
    where attempts = 0 and first_attempts = 0 and not in_job),
deleted as (
    delete from outbox_exception
    where id = any (array(
        select id from orphans where attempts = 0 and first_attempts = 0 and not in_job))),
revived as (
    update outbox_exception set held = false, next_attempt_at = now()
    where id = any (array(
        select id from orphans
        where attempts > 0 and first_attempts = 0 and not in_job
           or place = 1 and (first_attempts > 0 or in_job))))
insert into outbox_block (queue, order_key, head_id, lane)
select queue, order_key, id, lane from orphans where place = 1 and (first_attempts > 0 or in_job)
