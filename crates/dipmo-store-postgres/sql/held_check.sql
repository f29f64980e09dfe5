-- Fails unless all these order keys wait for a head.
select dipmo_assert(count(*) = cardinality($1::varchar[]), 'held', 'an order key that waits for nothing')
from unnest($1::varchar[], $2::varchar[]) as u (queue, order_key)
join {box}_block b on b.queue = u.queue and b.order_key = u.order_key
