-- The block of an order key.
SELECT head_id, released_to FROM {box}_block WHERE queue = ?1 AND order_key = ?2
