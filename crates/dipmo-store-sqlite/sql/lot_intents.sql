-- Intents of a lot with higher ids than ?2, and how they ended, as archives have them.
SELECT l.id, json_object(
         'id', l.id, 'aggregate_type', l.aggregate_type, 'aggregate_id', l.aggregate_id, 'event_type', l.event_type,
         'event_version', l.event_version, 'payload', l.payload, 'headers', l.headers, 'destination', l.destination,
         'created_at', l.created_at, 'cause_id', l.cause_id, 'reply_process', l.reply_process, 'reply_id', l.reply_id,
         'lane', NULL,
         'progress', iif(p.outbox_id IS NULL, NULL, json_object(
           'total', p.total, 'dispatched', p.dispatched, 'failed', p.failed, 'retried', p.retried,
           'skipped', p.skipped)),
         'done', iif(d.id IS NULL, NULL, json_object('ended_at', d.ended_at, 'outcome', d.outcome, 'external_ref', d.external_ref)),
         'exception', iif(e.id IS NULL, NULL, json_object(
           'logged_at', e.logged_at, 'ended_at', e.ended_at, 'queue', e.queue, 'lane', e.lane, 'order_key', e.order_key,
           'status', e.status, 'outcome', e.outcome, 'attempts', e.attempts, 'retried', e.retried,
           'error_stage', e.error_stage, 'error_code', e.error_code, 'error_message', e.error_message,
           'external_ref', e.external_ref, 'fingerprint', e.fingerprint)))
  FROM dipmo_lot_row r JOIN outbox_log l ON l.id = r.id
  LEFT JOIN outbox_progress p ON p.outbox_id = l.id
  LEFT JOIN outbox_done d ON d.id = l.id
  LEFT JOIN outbox_exception e ON e.id = l.id
 WHERE r.lot_id = ?1 AND r.id > ?2 ORDER BY r.id LIMIT ?3
