-- Ids of messages or intents from ?1 to before ?2, the newest first.
SELECT id FROM {box}_log WHERE id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3
