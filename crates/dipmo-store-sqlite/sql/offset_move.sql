-- Moves the next offset of a partition on, unless it stands before the beginning of its range, or is
-- of another topic, or is not there. One writer at a time, so no row needs to be locked first.
UPDATE inbox_offset SET
  next_offset = max(next_offset, ?6),
  topic_id = coalesce(topic_id, ?4),
  updated_at = ?7
WHERE consumer_group = ?1 AND topic = ?2 AND partition_num = ?3
  AND next_offset >= ?5 AND (topic_id = ?4) IS NOT 0
