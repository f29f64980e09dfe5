-- Lifts a block behind which nothing is held any more.
DELETE FROM {box}_block WHERE queue = ?1 AND order_key = ?2
