-- The newest intents from ?2 to ?3 and where they stand.
SELECT l.id, l.aggregate_type, l.aggregate_id, l.event_type, l.event_version, l.payload, l.headers,
       l.destination, l.created_at,
       coalesce(g.status, e.status, iif(d.id IS NULL, 'PENDING', 'DISPATCHED')),
       coalesce(e.attempts, d.id IS NOT NULL),
       e.next_attempt_at, e.error_code, e.error_message, l.cause_id, l.reply_process, l.reply_id,
       b.head_id, coalesce(g.outcome, e.outcome) IS 'SKIPPED', l.resend_of
  FROM outbox_log l
  LEFT JOIN outbox_gathered g ON g.id = l.id
  LEFT JOIN outbox_exception e ON e.id = l.id
  LEFT JOIN outbox_done d ON d.id = l.id
  LEFT JOIN outbox_block b ON e.held = 1 AND b.queue = e.queue AND b.order_key = e.order_key
 WHERE l.id BETWEEN ?2 AND ?3 ORDER BY l.id DESC LIMIT ?1
