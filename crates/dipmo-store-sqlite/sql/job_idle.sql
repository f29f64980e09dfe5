-- The job that holds a lane.
SELECT job_id FROM outbox_lane WHERE destination = ?1 AND lane = ?2 AND job_id IS NOT NULL
