-- The records of an intent and where they stand.
SELECT k.id, k.outbox_id, k.destination, k.record_key,
       coalesce(e.status, iif(d.id IS NULL, 'PENDING', 'DISPATCHED')),
       coalesce(e.attempts, d.id IS NOT NULL),
       e.next_attempt_at, e.error_code, e.error_message, coalesce(e.external_ref, d.external_ref),
       b.head_id, e.outcome IS 'SKIPPED'
  FROM outbox_record_log k
  LEFT JOIN outbox_exception e ON e.id = k.id
  LEFT JOIN outbox_done d ON d.id = k.id
  LEFT JOIN outbox_block b ON e.held = 1 AND b.queue = e.queue AND b.order_key = e.order_key
 WHERE k.outbox_id = ?1 ORDER BY k.id
