-- Where a unit stands, for an operator, and its intent if that has records. An intent with records
-- is no unit.
SELECT coalesce(e.status, iif(d.id IS NULL, 'PENDING', 'DISPATCHED')), coalesce(e.attempts, 0),
       e.id IS NOT NULL, coalesce(e.held, 0), 0, e.outcome IS 'SKIPPED', e.queue, e.order_key,
       u.outbox_id, coalesce(e.overtaken_by, iif(b.head_id > e.id, b.head_id, NULL)), coalesce(b.head_id = e.id, 0),
       coalesce(e.retried, 0),
       EXISTS (SELECT 1 FROM outbox_log i
                WHERE i.id = coalesce(u.outbox_id, u.id) AND i.payload = '{"dipmo.erased":true}')
  FROM (SELECT l.id, NULL AS outbox_id FROM outbox_log l
         WHERE l.id = ?1 AND NOT EXISTS (SELECT 1 FROM outbox_progress p WHERE p.outbox_id = l.id)
        UNION ALL
        SELECT k.id, k.outbox_id FROM outbox_record_log k WHERE k.id = ?1) u
  LEFT JOIN outbox_exception e ON e.id = u.id
  LEFT JOIN outbox_done d ON d.id = u.id
  LEFT JOIN outbox_block b ON b.queue = e.queue AND b.order_key = e.order_key AND b.head_id >= e.id
                         AND (b.released_to IS NULL OR b.released_to < e.id)
