-- Order keys of which the most waits aside, the worst first and at most ?1: of the oldest ?2 rows of every status that
-- is yet to be worked on. One more says that there is more.
WITH aside AS MATERIALIZED (
  SELECT * FROM (SELECT status, order_key, logged_at, id FROM inbox_exception INDEXED BY ix_inbox_exception_listed
                  WHERE status = 'RECEIVED' AND id > 0 ORDER BY id LIMIT ?2 + 1)
  UNION ALL
  SELECT * FROM (SELECT status, order_key, logged_at, id FROM inbox_exception INDEXED BY ix_inbox_exception_listed
                  WHERE status = 'RETRY' AND id > 0 ORDER BY id LIMIT ?2 + 1))
SELECT '', order_key, waiting, oldest,
       (SELECT head_id FROM inbox_block b WHERE b.queue = '' AND b.order_key = k.order_key),
       (SELECT aggregate_id IS NOT NULL FROM inbox_log WHERE id = k.id),
       EXISTS (SELECT 1 FROM aside GROUP BY status HAVING count(*) > ?2)
  FROM (SELECT order_key, count(*) AS waiting, min(logged_at) AS oldest, min(id) AS id
          FROM aside WHERE order_key IS NOT NULL GROUP BY order_key) k
 ORDER BY waiting DESC, oldest, order_key LIMIT ?1
