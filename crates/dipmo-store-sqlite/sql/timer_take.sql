-- Takes timers whose time has come.
DELETE FROM process_timer
 WHERE rowid IN (SELECT rowid FROM process_timer WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2)
RETURNING process, instance_id, name, aggregate_id, event_type, payload, due_at
