-- Lets go up to $2 messages that are held behind a head that ended, in order, in locked lanes.
-- Those that were never tried or retried become ready again; others become due. A chunk has messages of one
-- key, and a new one begins where another ready chunk lies between: chunks are taken in the order
-- of their first ids, so one that reached over another would let its end overtake that. One that
-- cannot be decoded is never let go: when its turn has come, it becomes the head.
with line as materialized (
    select e.id, e.logged_at, e.lane, e.attempts, e.status, b.queue, b.order_key
    from unnest($1::int2[]) as l (lane)
    cross join lateral (
        select queue, order_key from inbox_block b
        where b.queue = '' and b.lane = l.lane and b.released_to is not null
          and b.released_to >= b.head_id) b
    cross join lateral (
        select id, logged_at, lane, attempts + retried as attempts, status from inbox_exception e
        where e.queue = b.queue and e.order_key = b.order_key and e.held order by e.id limit $2) e
    limit $2),
barred as materialized (
    select *, min(id) filter (where status = 'SERDE_ERROR') over (partition by order_key) as bar
    from line),
gone as materialized (
    select id, logged_at, lane, attempts, queue, order_key from barred where bar is null or id < bar),
deleted as (
    delete from inbox_exception
    where id = any (array(select id from gone where attempts = 0))),
revived as (
    update inbox_exception set held = false, next_attempt_at = now()
    where id = any (array(select id from gone where attempts > 0))),
runs as (
    select *, count(*) filter (where breaks) over (partition by order_key order by id) as run
    from (
        select *, logged_at is distinct from last_at or (
            select true from inbox_ready r
            where r.lane = x.lane and r.id > x.last_id and r.id < x.id limit 1) is true as breaks
        from (
            select *, lag(id) over w as last_id, lag(logged_at) over w as last_at
            from gone where attempts = 0
            window w as (partition by order_key order by id)) x) y),
readied as (
    insert into inbox_ready (lane, id, logged_at, ids)
    select lane, min(id), logged_at, array_agg(id order by id)
    from runs group by lane, order_key, logged_at, run),
moved as (
    update inbox_block b
    set head_id = coalesce(g.bar, b.head_id),
        released_to = coalesce(g.bar - 1, greatest(g.last, b.head_id))
    from (
        select queue, order_key, max(id) as last, min(bar) as bar
        from barred group by queue, order_key) g
    where b.queue = g.queue and b.order_key = g.order_key)
select count(*) from gone
