-- Where a message stands, for an operator, and which later one of its key it waits for or was
-- overtaken by. The column before that is of units with records only.
SELECT coalesce(e.status, iif(d.id IS NULL, 'RECEIVED', 'PROCESSED')), coalesce(e.attempts, 0),
       e.id IS NOT NULL, coalesce(e.held, 0), e.parked_until IS NOT NULL, e.outcome IS 'SKIPPED',
       e.queue, e.order_key, NULL, coalesce(e.overtaken_by, iif(b.head_id > e.id, b.head_id, NULL)), coalesce(b.head_id = e.id, 0),
       coalesce(e.retried, 0)
  FROM inbox_log l
  LEFT JOIN inbox_exception e ON e.id = l.id
  LEFT JOIN inbox_done d ON d.id = l.id
  LEFT JOIN inbox_block b ON b.queue = e.queue AND b.order_key = e.order_key AND b.head_id >= e.id
                         AND (b.released_to IS NULL OR b.released_to < e.id)
 WHERE l.id = ?1
