-- Units of a job behind $2 leave it: chunks are ready again, and what was due is due. A unit that got a
-- row of its own in the job is ready as a chunk of its own, unless it was tried before or its key
-- waits for it: then it is due.
with chunks as (
    update outbox_ready set job_id = null where job_id = $1 and ids[cardinality(ids)] > $2),
gone as materialized (
    select e.id, e.logged_at, e.lane, e.queue,
        e.next_attempt_at is null and e.attempts + e.retried = 0 and (
            select true from outbox_block b
            where b.queue = e.queue and b.order_key = e.order_key and b.head_id = e.id) is null as untried,
        exists (select from outbox_record_log k where k.id = e.id and k.created_at = e.logged_at) as records
    from outbox_exception e
    where e.job_id is not null and (e.job_id, e.id) > ($1, $2)
      and (e.job_id, e.id) <= ($1, 9223372036854775807)),
readied as (
    insert into outbox_ready (destination, lane, id, records, logged_at, ids)
    select queue, lane, id, records, logged_at, array[id] from gone where untried),
deleted as (
    delete from outbox_exception where id = any (array(select id from gone where untried)))
update outbox_exception set job_id = null, next_attempt_at = coalesce(next_attempt_at, now())
where id = any (array(select id from gone where not untried))
