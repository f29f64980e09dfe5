-- Makes a job hold a lane.
UPDATE outbox_lane SET job_id = ?3 WHERE destination = ?1 AND lane = ?2
