-- Takes all timers of an instance away.
DELETE FROM process_timer WHERE process = ?1 AND instance_id = ?2
