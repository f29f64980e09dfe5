-- Those of the intents and records ?1 that are units and wanted, in the order of ?1, and where they stand. An intent
-- with records is no unit.
SELECT i.value, l.id, k.record_key, l.destination, l.aggregate_type, l.aggregate_id, l.event_type, l.cause_id,
       l.created_at,
       coalesce(e.status, iif(d.id IS NULL, 'PENDING', 'DISPATCHED')),
       coalesce(e.attempts, d.id IS NOT NULL),
       e.next_attempt_at, iif(e.status = 'DISPATCHED', e.ended_at, d.ended_at),
       coalesce(e.external_ref, d.external_ref), b.head_id, e.job_id, e.outcome IS 'SKIPPED',
       e.error_code, e.error_message, l.resend_of
  FROM json_each(?1) i
  LEFT JOIN outbox_record_log k ON k.id = i.value
  CROSS JOIN outbox_log l ON l.id = coalesce(k.outbox_id, i.value)
  LEFT JOIN outbox_progress p ON p.outbox_id = i.value
  LEFT JOIN outbox_exception e ON e.id = i.value
  LEFT JOIN outbox_done d ON d.id = i.value
  LEFT JOIN outbox_block b ON e.held = 1 AND b.queue = e.queue AND b.order_key = e.order_key
 WHERE p.outbox_id IS NULL AND {wanted}
 ORDER BY i.rowid
