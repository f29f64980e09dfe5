-- Lets a lane go that a job held.
UPDATE outbox_lane SET job_id = NULL WHERE destination = ?1 AND lane = ?2
