-- Chunks of a job behind ?2 are ready again.
UPDATE outbox_ready SET job_id = NULL, job_last = NULL WHERE job_id = ?1 AND job_last > ?2
