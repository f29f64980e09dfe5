-- Lifts ended blocks of locked lanes behind which nothing is held any more, and answers whether
-- others remain.
with lifted as (
    delete from {box}_block b
    where b.lane = any ($1::int2[]) and b.released_to is not null
      and not exists (select from {box}_exception e
                      where e.queue = b.queue and e.order_key = b.order_key and e.held)
    returning b.queue, b.order_key)
select exists (
    select from {box}_block b
    where b.lane = any ($1::int2[]) and b.released_to is not null
      and not exists (select from lifted x where x.queue = b.queue and x.order_key = b.order_key))
