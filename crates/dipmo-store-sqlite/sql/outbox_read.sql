-- The units of a chunk, with their record where the intent has records.
SELECT r.id, k.outbox_id, k.record_key
  FROM outbox_ready r LEFT JOIN outbox_record_log k ON k.id = r.id
 WHERE r.queue = ?1 AND r.lane = ?2 AND r.chunk = ?3
