-- Whether a unit is left in a job.
SELECT EXISTS (SELECT 1 FROM outbox_ready WHERE job_id = ?1)
    OR EXISTS (SELECT 1 FROM outbox_exception INDEXED BY ix_outbox_exception_job WHERE job_id = ?1)
