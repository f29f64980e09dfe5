-- Whether any job has not ended; mostly there is none, and then no lane is asked for one.
SELECT 1 FROM outbox_job INDEXED BY ix_outbox_job_open WHERE ended_at IS NULL LIMIT 1
