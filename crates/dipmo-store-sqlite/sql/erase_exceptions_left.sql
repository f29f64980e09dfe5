-- How many rows `erase_exceptions` would change.
SELECT count(*) FROM {box}_exception
 WHERE id IN (SELECT value FROM json_each(?1)) AND error_message <> ?2
