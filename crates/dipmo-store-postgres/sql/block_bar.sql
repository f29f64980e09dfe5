-- Makes order keys wait for messages that cannot be decoded, or are decoded only now; what comes
-- before such a message may pass. A key that waits already waits for the earlier of the two while it
-- would let this one pass: its head was never met, or has ended. Their lanes are locked.
insert into inbox_block as b (queue, order_key, head_id, released_to, lane)
select distinct on (order_key) '', order_key, id, id - 1, lane
from unnest($1::varchar[], $2::int8[], $3::int2[]) as u (order_key, id, lane)
order by order_key, id
on conflict (queue, order_key) do update set
    head_id = excluded.head_id, released_to = excluded.released_to
where b.released_to >= excluded.head_id
