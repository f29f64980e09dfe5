-- How many rows `erase_timers` would change.
SELECT count(*) FROM process_timer
 WHERE aggregate_id = ?1 OR process || '/' || instance_id IN (SELECT value FROM json_each(?2))
