-- How many timers are set.
SELECT count(*) FROM process_timer
