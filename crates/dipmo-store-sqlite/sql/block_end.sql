-- Ends the block of an order key, if this is its head: what is held behind it may be let go.
UPDATE {box}_block SET released_to = max(coalesce(released_to, head_id), head_id)
 WHERE queue = ?1 AND order_key = ?2 AND head_id = ?3
