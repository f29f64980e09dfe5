-- Makes order keys wait for messages that cannot be decoded, or are decoded only now, unless they
-- wait already; what comes before such a message may pass. Their lanes are locked.
insert into inbox_block (queue, order_key, head_id, released_to, lane)
select distinct on (order_key) '', order_key, id, id - 1, lane
from unnest($1::varchar[], $2::int8[], $3::int2[]) as u (order_key, id, lane)
order by order_key, id
on conflict (queue, order_key) do nothing
