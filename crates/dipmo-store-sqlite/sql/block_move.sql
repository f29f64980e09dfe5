-- Says how far those behind a head that ended were let go.
UPDATE {box}_block SET released_to = max(released_to, ?3) WHERE queue = ?1 AND order_key = ?2
