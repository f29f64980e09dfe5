-- Ids of the intents before ?1 of the aggregate ?4 of the type ?3, the newest first.
SELECT id FROM outbox_log
 WHERE aggregate_type = ?3 AND aggregate_id = ?4 AND id < ?1 ORDER BY id DESC LIMIT ?2
