-- How many rows `erase_edits` would change.
SELECT count(*) FROM inbox_edit
 WHERE id IN (SELECT value FROM json_each(?1)) AND payload IS NOT ?2
