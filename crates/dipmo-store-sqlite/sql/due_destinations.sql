-- The destinations that have something to deliver now, or a job that nobody goes on with. What waits in
-- a lane that a job holds waits for the job. CROSS JOIN probes each lane for what is due, instead of
-- walking all that waits.
SELECT destination FROM (SELECT DISTINCT destination FROM outbox_lane) d
 WHERE EXISTS (SELECT 1 FROM outbox_ready r WHERE r.queue = d.destination)
   AND EXISTS (SELECT 1 FROM outbox_lane l CROSS JOIN outbox_ready r
                  ON r.queue = l.destination AND r.lane = l.lane
                WHERE l.destination = d.destination AND l.job_id IS NULL)
    OR EXISTS (SELECT 1 FROM outbox_lane l CROSS JOIN outbox_exception e
                  ON e.queue = l.destination AND e.lane = l.lane AND e.next_attempt_at <= ?1
                WHERE l.destination = d.destination AND l.job_id IS NULL)
    OR EXISTS (SELECT 1 FROM outbox_job j
                WHERE j.destination = d.destination AND j.ended_at IS NULL
                  AND NOT EXISTS (SELECT 1 FROM outbox_lane l
                                   WHERE l.destination = j.destination AND l.job_id = j.id
                                     AND l.lease_until > ?1))
 ORDER BY destination
