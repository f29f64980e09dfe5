-- Ends blocks whose head ended: what is held behind it may be let go. What was let go stays so.
update {box}_block b set released_to = greatest(b.released_to, b.head_id)
from unnest($1::varchar[], $2::varchar[], $3::int8[]) as u (queue, order_key, head_id)
where b.queue = u.queue and b.order_key = u.order_key and b.head_id = u.head_id
