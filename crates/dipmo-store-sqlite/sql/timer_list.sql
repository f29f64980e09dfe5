-- Timers of an instance, by their names.
SELECT name, event_type, due_at FROM process_timer
 WHERE process = ?1 AND instance_id = ?2 ORDER BY name LIMIT ?3
