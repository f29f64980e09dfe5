-- How many rows `erase_intents` would change.
SELECT count(*) FROM outbox_log
 WHERE id IN (SELECT value FROM json_each(?1)) AND (payload IS NOT ?2 OR headers IS NOT NULL)
