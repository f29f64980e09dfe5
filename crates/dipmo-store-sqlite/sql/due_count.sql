-- How many rows of a lane are due, counted no further than ?4; without messages that were decoded only
-- now, which were never met and come last.
SELECT count(*) FROM (
  SELECT 1 FROM {box}_exception
   WHERE queue = ?1 AND lane = ?2 AND next_attempt_at <= ?3
     AND NOT (status = 'RECEIVED' AND parked_until IS NULL) LIMIT ?4)
