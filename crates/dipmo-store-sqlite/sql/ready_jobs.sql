-- The ready units from ?1 to ?2 that are in a job, and their jobs. It reads what is in jobs now, and nothing else.
SELECT r.id, r.job_id
  FROM outbox_job j CROSS JOIN outbox_ready r INDEXED BY ix_outbox_ready_job
    ON r.job_id = j.id AND r.job_last >= ?1
 WHERE j.ended_at IS NULL AND r.id BETWEEN ?1 AND ?2
