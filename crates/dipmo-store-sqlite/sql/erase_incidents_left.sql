-- How many rows `erase_incidents` would change.
SELECT count(*) FROM inbox_incident
 WHERE (inbox_id IN (SELECT value FROM json_each(?1)) OR aggregate_id = ?3)
   AND (payload IS NOT ?2 OR raw_payload_base64 IS NOT NULL)
