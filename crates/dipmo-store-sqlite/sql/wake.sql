-- Makes parked messages of an order key due: the gap that they waited for may have closed.
UPDATE inbox_exception SET next_attempt_at = ?2
 WHERE queue = '' AND order_key = ?1 AND parked_until IS NOT NULL AND held = 0
