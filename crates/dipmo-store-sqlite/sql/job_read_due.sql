-- The units of a job behind ?2 that have rows of their own.
SELECT e.id, k.outbox_id, k.record_key, e.attempts, e.retried, e.lane
  FROM outbox_exception e INDEXED BY ix_outbox_exception_job
  LEFT JOIN outbox_record_log k ON k.id = e.id
 WHERE e.job_id = ?1 AND e.id > ?2
 ORDER BY e.id LIMIT ?3
