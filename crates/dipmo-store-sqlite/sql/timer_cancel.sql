-- Takes a timer away, if it is there.
DELETE FROM process_timer WHERE process = ?1 AND instance_id = ?2 AND name = ?3
