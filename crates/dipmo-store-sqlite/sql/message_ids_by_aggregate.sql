-- Ids of the messages of the aggregate ?4, from ?1 to before ?2, the newest first.
SELECT id FROM inbox_log WHERE aggregate_id = ?4 AND id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3
