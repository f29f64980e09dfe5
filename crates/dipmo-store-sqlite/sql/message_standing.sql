-- Where a message stands, for an operator, and which later one of its key it waits for or was
-- overtaken by: later as in message_overtake. The column before that is of units with records only.
SELECT coalesce(e.status, iif(d.id IS NULL, 'RECEIVED', 'PROCESSED')), coalesce(e.attempts, 0),
       e.id IS NOT NULL, coalesce(e.held, 0), e.parked_until IS NOT NULL, e.outcome IS 'SKIPPED',
       e.queue, e.order_key, NULL, coalesce(e.overtaken_by, CASE
           WHEN h.source_system = l.source_system AND h.source_version <> l.source_version
           THEN iif(h.source_version > l.source_version, h.id, NULL)
           ELSE iif(h.id > l.id, h.id, NULL) END),
       coalesce(b.head_id = e.id, 0),
       coalesce(e.retried, 0), 0
  FROM inbox_log l
  LEFT JOIN inbox_exception e ON e.id = l.id
  LEFT JOIN inbox_done d ON d.id = l.id
  LEFT JOIN inbox_block b ON b.queue = e.queue AND b.order_key = e.order_key
                         AND (b.released_to IS NULL OR b.released_to < min(b.head_id, e.id))
  LEFT JOIN inbox_log h ON h.id = b.head_id
 WHERE l.id = ?1
