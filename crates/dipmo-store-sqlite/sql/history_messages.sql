-- Up to ?2 messages from before ?1 that are settled.
-- Differs from PostgreSQL because there are no partitions to drop: rows go in small batches.
SELECT l.id FROM inbox_log l
 WHERE l.received_at < ?1
   AND (EXISTS (SELECT 1 FROM inbox_done d WHERE d.id = l.id)
     OR EXISTS (SELECT 1 FROM inbox_exception e WHERE e.id = l.id AND e.status = 'PROCESSED'))
 ORDER BY l.received_at LIMIT ?2
