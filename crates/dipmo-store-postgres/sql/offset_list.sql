-- The next offsets of a consumer group.
select topic, partition_num, topic_id, next_offset from inbox_offset
where consumer_group = $1 order by topic, partition_num
