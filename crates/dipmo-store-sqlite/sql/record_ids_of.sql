-- Ids of the records of the intent ?1 that are from ?2 to before ?3, the newest first.
SELECT id FROM outbox_record_log WHERE outbox_id = ?1 AND id >= ?2 AND id < ?3 ORDER BY id DESC LIMIT ?4
