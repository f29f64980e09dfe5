-- Sets a timer, or moves the one of that name.
INSERT INTO process_timer (process, instance_id, name, aggregate_id, event_type, payload, due_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (process, instance_id, name) DO UPDATE SET
  aggregate_id = excluded.aggregate_id, event_type = excluded.event_type,
  payload = excluded.payload, due_at = excluded.due_at
