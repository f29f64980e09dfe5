-- The blocks of order keys.
select b.queue, b.order_key, b.head_id, b.released_to
from unnest($1::varchar[], $2::varchar[]) as u (queue, order_key)
join {box}_block b on b.queue = u.queue and b.order_key = u.order_key
