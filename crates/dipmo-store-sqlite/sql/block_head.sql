-- Makes a message the head of its key whose turn has come, and that cannot be decoded.
UPDATE {box}_block SET head_id = ?3, released_to = ?3 - 1 WHERE queue = ?1 AND order_key = ?2
