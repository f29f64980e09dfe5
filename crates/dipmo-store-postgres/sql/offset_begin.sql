-- Stores where partitions begin: forward only, unless their topic was made anew.
insert into inbox_offset as o (consumer_group, topic, partition_num, topic_id, next_offset)
select * from unnest($1::varchar[], $2::varchar[], $3::int4[], $4::uuid[], $5::int8[])
    as u (consumer_group, topic, partition_num, topic_id, next_offset)
order by consumer_group, topic, partition_num
on conflict (consumer_group, topic, partition_num) do update set
    topic_id = coalesce(excluded.topic_id, o.topic_id),
    next_offset = case when excluded.topic_id <> o.topic_id then excluded.next_offset
                       else greatest(excluded.next_offset, o.next_offset) end,
    updated_at = now()
