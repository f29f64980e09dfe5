-- Records of the intents of a lot behind the record ?2, and how they ended, as archives have them: intent by intent.
SELECT k.id, json_object(
         'id', k.id, 'created_at', k.created_at, 'outbox_id', k.outbox_id, 'destination', k.destination,
         'record_key', k.record_key, 'lane', NULL,
         'done', iif(d.id IS NULL, NULL, json_object('ended_at', d.ended_at, 'outcome', d.outcome, 'external_ref', d.external_ref)),
         'exception', iif(e.id IS NULL, NULL, json_object(
           'logged_at', e.logged_at, 'ended_at', e.ended_at, 'queue', e.queue, 'lane', e.lane, 'order_key', e.order_key,
           'status', e.status, 'outcome', e.outcome, 'attempts', e.attempts, 'retried', e.retried,
           'error_stage', e.error_stage, 'error_code', e.error_code, 'error_message', e.error_message,
           'external_ref', e.external_ref, 'fingerprint', e.fingerprint)))
  FROM dipmo_lot_row r JOIN outbox_record_log k ON k.outbox_id = r.id
  LEFT JOIN outbox_done d ON d.id = k.id
  LEFT JOIN outbox_exception e ON e.id = k.id
 WHERE r.lot_id = ?1 AND r.id >= coalesce((SELECT b.outbox_id FROM outbox_record_log b WHERE b.id = ?2), 0)
   AND (r.id > coalesce((SELECT b.outbox_id FROM outbox_record_log b WHERE b.id = ?2), 0) OR k.id > ?2)
 ORDER BY r.id, k.id LIMIT ?3
