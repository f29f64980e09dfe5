-- Lanes that somebody has leased, or a job holds.
SELECT destination, lane, owner, lease_until, job_id FROM outbox_lane
 WHERE owner IS NOT NULL OR job_id IS NOT NULL ORDER BY destination, lane
