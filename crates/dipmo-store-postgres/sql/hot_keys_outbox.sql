-- The same for the outbox: of $2 rows of every destination that left the straight path and are yet to be delivered.
with aside as materialized (
    select e.queue, e.status, e.order_key, e.logged_at
    from outbox_lane l
    cross join lateral (
        select x.* from outbox_exception x
        where x.queue = l.destination and x.status <> 'DISPATCHED' and x.outcome is null limit $2::int8 + 1) e
    where l.lane = 0)
select k.queue, k.order_key, k.waiting, k.oldest,
    (select b.head_id from outbox_block b where b.queue = k.queue and b.order_key = k.order_key) as head,
    true as is_aggregate,
    exists (select from aside group by queue having count(*) > $2) as more
from (
    select queue, order_key, count(*) as waiting, min(logged_at) as oldest
    from aside where order_key is not null and status = 'PENDING' group by queue, order_key) k
order by k.waiting desc, k.oldest, k.order_key limit $1::int8
