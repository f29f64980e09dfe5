-- Makes a message or unit due at ?3 as if it had never been tried; counts it if it had failed.
UPDATE {box}_exception
   SET retried = retried + (status = 'FAILED'), status = ?2, attempts = 0, next_attempt_at = ?3
 WHERE id = ?1
