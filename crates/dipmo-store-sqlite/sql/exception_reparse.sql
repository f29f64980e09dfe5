-- Puts a message that was decoded again into its place: due at ?4, or held.
UPDATE inbox_exception
   SET status = 'RECEIVED', lane = ?2, order_key = ?3, next_attempt_at = ?4, held = ?4 IS NULL,
       error_stage = NULL, error_code = NULL, error_message = NULL, fingerprint = NULL
 WHERE id = ?1
