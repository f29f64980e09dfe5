-- A unit that waits for another attempt: where it is, how often it was tried, and how often an
-- operator retried it; and the job that it is in.
SELECT queue, lane, attempts, retried, job_id FROM outbox_exception WHERE id = ?1 AND status = 'PENDING' AND held = 0
