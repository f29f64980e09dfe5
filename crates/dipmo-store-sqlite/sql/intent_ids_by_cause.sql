-- Ids of the intents before ?1 that the message ?3 caused, the newest first.
SELECT id FROM outbox_log WHERE cause_id = ?3 AND id < ?1 ORDER BY id DESC LIMIT ?2
