-- Blanks what came with the id of one of the messages ?1, or was about the aggregate ?3; ?2 stands there then.
UPDATE inbox_incident SET payload = ?2, raw_payload_base64 = NULL
 WHERE (inbox_id IN (SELECT value FROM json_each(?1)) OR aggregate_id = ?3)
   AND (payload IS NOT ?2 OR raw_payload_base64 IS NOT NULL)
