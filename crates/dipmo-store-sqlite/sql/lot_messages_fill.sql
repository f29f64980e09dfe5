-- Puts up to ?5 messages into a lot that came from ?2 to before ?3, are settled and have higher ids than ?4. By the ids,
-- which grow with time: by the time, all of the month would be sorted for each portion.
INSERT INTO dipmo_lot_row (lot_id, id)
SELECT ?1, l.id FROM inbox_log l
 WHERE l.id > ?4 AND +l.received_at >= ?2 AND +l.received_at < ?3
   AND (EXISTS (SELECT 1 FROM inbox_done d WHERE d.id = l.id)
     OR EXISTS (SELECT 1 FROM inbox_exception e WHERE e.id = l.id AND e.status = 'PROCESSED'))
 ORDER BY l.id LIMIT ?5
