-- Makes order keys wait for a head; a key that waits already waits for this one now.
insert into {box}_block (queue, order_key, head_id, lane)
select * from unnest($1::varchar[], $2::varchar[], $3::int8[], $4::int2[])
on conflict (queue, order_key) do update set head_id = excluded.head_id, released_to = null
