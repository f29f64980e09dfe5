-- Takes timers away that are about the aggregate ?1, or of the instances ?2, which have ended.
DELETE FROM process_timer
 WHERE aggregate_id = ?1 OR process || '/' || instance_id IN (SELECT value FROM json_each(?2))
