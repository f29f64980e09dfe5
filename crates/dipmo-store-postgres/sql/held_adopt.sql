-- Held behind nothing would wait for ever: the block may have been lifted since it was looked at.
-- The first of such a key becomes its head and is due now; the others are held behind it.
with orphans as materialized (
    select distinct on (u.queue, u.order_key) u.queue, u.order_key, u.id, u.lane
    from unnest($1::varchar[], $2::varchar[], $3::int8[], $4::int2[]) as u (queue, order_key, id, lane)
    left join inbox_block b on b.queue = u.queue and b.order_key = u.order_key
    where b.order_key is null
    order by u.queue, u.order_key, u.id),
freed as (
    update inbox_exception e set held = false, next_attempt_at = now()
    from orphans o where e.id = o.id)
insert into inbox_block (queue, order_key, head_id, lane)
select queue, order_key, id, lane from orphans
