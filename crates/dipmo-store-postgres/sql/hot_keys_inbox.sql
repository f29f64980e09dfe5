-- Order keys of which the most waits aside, the worst first and at most $1: of the oldest $2 rows of every status that
-- is yet to be worked on. One more of either says that there is more.
with aside as materialized (
    select e.status, e.order_key, e.id, e.logged_at
    from unnest('{RECEIVED,RETRY}'::varchar[]) as s (status)
    cross join lateral (
        select x.* from inbox_exception x
        where (x.status, x.id) > (s.status, 0) and (x.status, x.id) <= (s.status, 9223372036854775807) and x.id > 0
        order by x.status, x.id limit $2::int8 + 1) e)
select ''::varchar as queue, k.order_key, k.waiting, k.oldest,
    (select b.head_id from inbox_block b where b.queue = '' and b.order_key = k.order_key) as head,
    (select m.aggregate_id is not null from inbox_log m where m.id = k.id limit 1) as is_aggregate,
    exists (select from aside group by status having count(*) > $2) as more
from (
    select order_key, count(*) as waiting, min(logged_at) as oldest, min(id) as id
    from aside where order_key is not null group by order_key) k
order by k.waiting desc, k.oldest, k.order_key limit $1::int8
