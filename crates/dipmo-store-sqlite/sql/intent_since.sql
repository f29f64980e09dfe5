-- The first intent that was made at or after ?1; ids grow with time.
SELECT id FROM outbox_log WHERE created_at >= ?1 ORDER BY created_at, id LIMIT 1
