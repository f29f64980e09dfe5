-- Puts a unit with a row of its own into a job.
UPDATE outbox_exception SET job_id = ?2 WHERE id = ?1
