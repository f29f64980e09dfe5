-- When the oldest message from before ?1 came that is settled.
SELECT l.received_at FROM inbox_log l
 WHERE l.received_at < ?1
   AND (EXISTS (SELECT 1 FROM inbox_done d WHERE d.id = l.id)
     OR EXISTS (SELECT 1 FROM inbox_exception e WHERE e.id = l.id AND e.status = 'PROCESSED'))
 ORDER BY l.received_at LIMIT 1
