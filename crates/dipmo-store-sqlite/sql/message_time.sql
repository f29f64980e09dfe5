-- When a message came.
SELECT received_at FROM inbox_log WHERE id = ?1
