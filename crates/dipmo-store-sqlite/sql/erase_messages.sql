-- Blanks the messages ?1; ?2 stands where a payload was.
UPDATE inbox_log SET payload = ?2, key_str = NULL, headers = NULL, raw_payload_base64 = NULL, originals = NULL
 WHERE id IN (SELECT value FROM json_each(?1))
   AND (payload IS NOT ?2 OR key_str IS NOT NULL OR headers IS NOT NULL OR raw_payload_base64 IS NOT NULL
        OR originals IS NOT NULL)
