-- Ids of the first ?2 intents that the message ?1 caused.
SELECT id FROM outbox_log WHERE cause_id = ?1 ORDER BY id LIMIT ?2
