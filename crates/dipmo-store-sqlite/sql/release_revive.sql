-- Makes those due that were held up to ?3 and had been tried before.
UPDATE {box}_exception SET held = 0, next_attempt_at = ?4
 WHERE held = 1 AND queue = ?1 AND order_key = ?2 AND id <= ?3
