-- The units of the chunks of a job behind ?2, with their record where the intent has records. The reader
-- stops when it has enough.
SELECT r.id, k.outbox_id, k.record_key, r.lane, r.chunk, r.job_last
  FROM outbox_ready r LEFT JOIN outbox_record_log k ON k.id = r.id
 WHERE r.job_id = ?1 AND r.job_last > ?2
 ORDER BY r.job_last, r.id
