-- How many rows `erase_messages` would change.
SELECT count(*) FROM inbox_log
 WHERE id IN (SELECT value FROM json_each(?1))
   AND (payload IS NOT ?2 OR key_str IS NOT NULL OR headers IS NOT NULL OR raw_payload_base64 IS NOT NULL
        OR originals IS NOT NULL)
