-- Jobs that have not ended, by destination, and when the oldest of them began.
SELECT destination, count(*), min(created_at) FROM outbox_job INDEXED BY ix_outbox_job_open
 WHERE ended_at IS NULL GROUP BY destination
