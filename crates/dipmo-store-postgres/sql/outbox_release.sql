-- Lets go up to $3 units that are held behind a head that ended, in order, in locked lanes. Those
-- that were never tried or retried become ready again, before anything newer; others become due. A chunk has
-- units of one key and one kind, and reaches over no other, nor over one of its key that becomes due: see
-- inbox_release. Nothing is let go in a lane that a job holds: it would be overtaken by what is in the job.
with gone as materialized (
    select e.id, e.logged_at, e.attempts, e.lane, b.queue, b.order_key,
        exists (select from outbox_record_log k where k.id = e.id and k.created_at = e.logged_at) as records
    from unnest($1::varchar[], $2::int2[]) as l (destination, lane)
    cross join lateral (
        select queue, order_key from outbox_block b
        where b.queue = l.destination and b.lane = l.lane and b.released_to is not null) b
    cross join lateral (
        select id, logged_at, attempts + retried as attempts, lane from outbox_exception e
        where e.queue = b.queue and e.order_key = b.order_key and e.held order by e.id limit $3) e
    where (select a.job_id is null from outbox_lane a where a.destination = l.destination and a.lane = l.lane)
    limit $3),
deleted as (
    delete from outbox_exception
    where id = any (array(select id from gone where attempts = 0))),
revived as (
    update outbox_exception set held = false, next_attempt_at = now()
    where id = any (array(select id from gone where attempts > 0))),
runs as (
    select *, count(*) filter (where breaks) over (partition by queue, order_key order by id) as run
    from (
        select *, last_attempts > 0 or logged_at is distinct from last_at or records is distinct from last_records or (
            select true from outbox_ready r
            where r.destination = x.queue and r.lane = x.lane and r.id > x.last_id and r.id < x.id
            limit 1) is true as breaks
        from (
            select *, lag(id) over w as last_id, lag(logged_at) over w as last_at,
                lag(records) over w as last_records, lag(attempts) over w as last_attempts
            from gone
            window w as (partition by queue, order_key order by id)) x
        where attempts = 0) y),
readied as (
    insert into outbox_ready (destination, lane, id, records, logged_at, ids)
    select queue, lane, min(id), records, logged_at, array_agg(id order by id)
    from runs group by queue, lane, order_key, records, logged_at, run),
moved as (
    update outbox_block b set released_to = greatest(g.last, b.head_id)
    from (select queue, order_key, max(id) as last from gone group by queue, order_key) g
    where b.queue = g.queue and b.order_key = g.order_key)
select count(*) from gone
