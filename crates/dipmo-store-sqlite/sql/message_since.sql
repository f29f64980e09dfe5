-- The first message that came at or after ?1; ids grow with time.
SELECT id FROM inbox_log WHERE received_at >= ?1 ORDER BY received_at, id LIMIT 1
