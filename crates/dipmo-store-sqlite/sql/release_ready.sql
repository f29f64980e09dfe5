-- Makes those ready again, as one chunk, that are held from ?4 up to ?3 and were never tried.
INSERT INTO {box}_ready (queue, lane, chunk, id)
SELECT queue, lane, ?4, id FROM {box}_exception
 WHERE held = 1 AND queue = ?1 AND order_key = ?2 AND id BETWEEN ?4 AND ?3 AND attempts + retried = 0
