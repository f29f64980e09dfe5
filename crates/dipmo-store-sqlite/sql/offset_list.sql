-- The next offsets of a consumer group.
SELECT consumer_group, topic, partition_num, topic_id, next_offset
  FROM inbox_offset WHERE consumer_group = ?1 ORDER BY topic, partition_num
