-- Blanks the intents ?1; ?2 stands where a payload was.
UPDATE outbox_log SET payload = ?2, headers = NULL
 WHERE id IN (SELECT value FROM json_each(?1)) AND (payload IS NOT ?2 OR headers IS NOT NULL)
