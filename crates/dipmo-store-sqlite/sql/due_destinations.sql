-- The destinations that have something to deliver now. CROSS JOIN probes each lane for what is due,
-- instead of walking all that waits.
SELECT destination FROM (SELECT DISTINCT destination FROM outbox_lane) d
 WHERE EXISTS (SELECT 1 FROM outbox_ready r WHERE r.queue = d.destination)
    OR EXISTS (SELECT 1 FROM outbox_lane l CROSS JOIN outbox_exception e
                  ON e.queue = l.destination AND e.lane = l.lane AND e.next_attempt_at <= ?1
                WHERE l.destination = d.destination)
 ORDER BY destination
