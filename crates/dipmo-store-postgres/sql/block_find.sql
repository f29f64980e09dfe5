-- The blocks of order keys. Mostly no key at all is blocked, and then none is looked up.
select b.queue, b.order_key, b.head_id, b.released_to
from unnest($1::varchar[], $2::varchar[]) as u (queue, order_key)
join {box}_block b on b.queue = u.queue and b.order_key = u.order_key
where (select exists (select from {box}_block))
