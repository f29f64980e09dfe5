-- The messages of the aggregate ?1.
SELECT id FROM inbox_log WHERE aggregate_id = ?1
