-- Makes order keys wait for a head. A key that waits already waits for the earlier of the two,
-- unless its head has ended: then for this one.
insert into {box}_block as b (queue, order_key, head_id, lane)
select * from unnest($1::varchar[], $2::varchar[], $3::int8[], $4::int2[])
on conflict (queue, order_key) do update set
    head_id = case when b.released_to >= b.head_id then excluded.head_id
                   else least(b.head_id, excluded.head_id) end,
    released_to = null
