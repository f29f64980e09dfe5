-- Takes the rows of those away that are ready again.
DELETE FROM {box}_exception
 WHERE held = 1 AND queue = ?1 AND order_key = ?2 AND id <= ?3 AND attempts + retried = 0
