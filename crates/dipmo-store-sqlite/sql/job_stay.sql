-- The job that a chunk is in.
SELECT job_id FROM outbox_ready WHERE queue = ?1 AND lane = ?2 AND chunk = ?3 AND job_id IS NOT NULL LIMIT 1
