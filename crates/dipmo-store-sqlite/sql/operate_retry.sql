-- Makes a message or unit due at ?3 as if it had never been tried; counts it if it had failed, or was
-- parked.
UPDATE {box}_exception
   SET retried = retried + (status = 'FAILED' OR parked_until IS NOT NULL), status = ?2, attempts = 0,
       next_attempt_at = ?3, parked_until = NULL
 WHERE id = ?1
