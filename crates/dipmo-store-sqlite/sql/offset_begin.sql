-- Stores where a partition begins: forward only, unless its topic was made anew.
INSERT INTO inbox_offset (consumer_group, topic, partition_num, topic_id, next_offset, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (consumer_group, topic, partition_num) DO UPDATE SET
  next_offset = CASE WHEN topic_id <> excluded.topic_id THEN excluded.next_offset
                     ELSE max(next_offset, excluded.next_offset) END,
  topic_id = coalesce(excluded.topic_id, topic_id),
  updated_at = excluded.updated_at
