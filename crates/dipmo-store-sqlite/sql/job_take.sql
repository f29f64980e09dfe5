-- The oldest job of a destination that has not ended and whose lanes nobody has leased.
SELECT j.id FROM outbox_job j
 WHERE j.destination = ?1 AND j.ended_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM outbox_lane l
                    WHERE l.destination = j.destination AND l.job_id = j.id AND l.lease_until > ?2)
 ORDER BY j.id LIMIT 1
