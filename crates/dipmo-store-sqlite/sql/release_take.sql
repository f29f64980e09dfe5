-- The first ?3 of those that are held for an order key, and how often each was tried or retried;
-- one that cannot be decoded is never let go.
SELECT id, attempts + retried, status = 'SERDE_ERROR' FROM {box}_exception
 WHERE held = 1 AND queue = ?1 AND order_key = ?2 ORDER BY id LIMIT ?3
