-- Lifts ended blocks of locked lanes behind which nothing is held any more, and answers whether
-- others remain, and when this was. Only of lanes that are locked: in another one somebody may be holding right now.
with ended as materialized (
    select b.queue, b.order_key,
        (select true from {box}_exception e
         where e.queue = b.queue and e.order_key = b.order_key and e.held limit 1) as holds
    from unnest($1::varchar[], $2::int2[]) as l (queue, lane)
    cross join lateral (
        select queue, order_key from {box}_block b
        where b.queue = l.queue and b.lane = l.lane and b.released_to is not null
          and b.released_to >= b.head_id) b),
lifted as (
    delete from {box}_block b using ended x
    where b.queue = x.queue and b.order_key = x.order_key and x.holds is null)
select exists (select from ended where holds), now()
