-- The units of a job's lanes behind ?2 that were put off, and are in no job.
SELECT e.id, e.queue, e.lane, e.order_key
  FROM outbox_job j
  CROSS JOIN outbox_lane l ON l.destination = j.destination AND l.job_id = j.id
  CROSS JOIN outbox_exception e INDEXED BY ix_outbox_exception_due
    ON e.queue = l.destination AND e.lane = l.lane AND e.next_attempt_at <= ?3
 WHERE j.id = ?1 AND e.id > ?2 AND e.job_id IS NULL AND e.attempts + e.retried = 0
