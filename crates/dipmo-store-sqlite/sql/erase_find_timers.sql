-- Whose timers are about the aggregate ?1.
SELECT DISTINCT process, instance_id FROM process_timer WHERE aggregate_id = ?1
