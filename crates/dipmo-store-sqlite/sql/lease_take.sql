-- Leases up to ?5 lanes of a destination that have something to deliver and belong to nobody, those
-- first that were left alone longest. A lane that a job holds is leased with the job.
UPDATE outbox_lane SET owner = ?2, epoch = epoch + 1, lease_until = ?4
 WHERE destination = ?1 AND lane IN (
   SELECT l.lane FROM outbox_lane l
    WHERE l.destination = ?1 AND l.job_id IS NULL AND (l.lease_until IS NULL OR l.lease_until <= ?3)
      AND (EXISTS (SELECT 1 FROM outbox_ready r
                    WHERE r.queue = l.destination AND r.lane = l.lane)
        OR EXISTS (SELECT 1 FROM outbox_exception e
                    WHERE e.queue = l.destination AND e.lane = l.lane AND e.next_attempt_at <= ?3))
    ORDER BY l.lease_until NULLS FIRST, l.lane LIMIT ?5)
RETURNING lane, epoch
