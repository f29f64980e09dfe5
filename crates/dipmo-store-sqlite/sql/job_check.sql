-- The lanes of a job.
SELECT l.lane FROM outbox_job j CROSS JOIN outbox_lane l ON l.destination = j.destination AND l.job_id = j.id
 WHERE j.id = ?1
