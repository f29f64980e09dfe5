-- Forgets up to ?2 dedupe ids from before ?1 whose message is no longer in the log.
DELETE FROM inbox_dedupe WHERE key IN (
  SELECT d.key FROM inbox_dedupe d
   WHERE d.received_at < ?1 AND NOT EXISTS (SELECT 1 FROM inbox_log l WHERE l.id = d.inbox_id)
   ORDER BY d.received_at LIMIT ?2)
