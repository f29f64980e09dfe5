-- When the oldest intent from before ?1 was written that is settled.
SELECT l.created_at FROM outbox_log l LEFT JOIN outbox_progress p ON p.outbox_id = l.id
 WHERE l.created_at < ?1
   AND (p.dispatched + p.skipped = p.total
     OR EXISTS (SELECT 1 FROM outbox_done d WHERE d.id = l.id)
     OR EXISTS (SELECT 1 FROM outbox_exception e WHERE e.id = l.id
                    AND (e.status = 'DISPATCHED' OR e.outcome = 'SKIPPED')))
 ORDER BY l.created_at LIMIT 1
