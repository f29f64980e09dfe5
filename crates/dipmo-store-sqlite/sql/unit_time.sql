-- When an intent or a record was made.
SELECT created_at FROM outbox_log WHERE id = ?1
UNION ALL
SELECT created_at FROM outbox_record_log WHERE id = ?1
