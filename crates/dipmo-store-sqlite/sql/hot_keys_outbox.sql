-- The same for a destination (?3): of ?2 rows that left the straight path, those that are yet to be delivered.
WITH aside AS MATERIALIZED (
  SELECT order_key, status, logged_at FROM outbox_exception INDEXED BY ix_outbox_exception_open
   WHERE queue = ?3 AND status IN ('PENDING', 'FAILED') AND outcome IS NULL LIMIT ?2 + 1)
SELECT ?3, order_key, waiting, oldest,
       (SELECT head_id FROM outbox_block b WHERE b.queue = ?3 AND b.order_key = k.order_key), 1,
       (SELECT count(*) FROM aside) > ?2
  FROM (SELECT order_key, count(*) AS waiting, min(logged_at) AS oldest
          FROM aside WHERE order_key IS NOT NULL AND status = 'PENDING' GROUP BY order_key) k
 ORDER BY waiting DESC, oldest, order_key LIMIT ?1
