-- Ends a message or unit, with status ?2 and outcome ?4, without doing what it asks for.
UPDATE {box}_exception
   SET status = ?2, outcome = ?4, ended_at = ?3, next_attempt_at = NULL, held = 0,
       parked_until = NULL
 WHERE id = ?1
