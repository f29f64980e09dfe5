-- Puts up to ?5 intents into a lot that were written from ?2 to before ?3, are settled and have higher ids than ?4.
INSERT INTO dipmo_lot_row (lot_id, id)
SELECT ?1, l.id FROM outbox_log l LEFT JOIN outbox_progress p ON p.outbox_id = l.id
 WHERE l.id > ?4 AND +l.created_at >= ?2 AND +l.created_at < ?3
   AND (p.dispatched + p.skipped = p.total
     OR EXISTS (SELECT 1 FROM outbox_done d WHERE d.id = l.id)
     OR EXISTS (SELECT 1 FROM outbox_exception e WHERE e.id = l.id
                    AND (e.status = 'DISPATCHED' OR e.outcome = 'SKIPPED')))
 ORDER BY l.id LIMIT ?5
