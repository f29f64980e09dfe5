-- Messages of a lot with higher ids than ?2, and how they ended, as archives have them.
SELECT l.id, json_object(
         'id', l.id, 'message_id', l.message_id, 'source_system', l.source_system, 'topic', l.topic,
         'partition_num', l.partition_num, 'offset_num', l.offset_num, 'key_str', l.key_str,
         'aggregate_id', l.aggregate_id, 'event_type', l.event_type, 'event_version', l.event_version,
         'source_version', l.source_version, 'payload', l.payload, 'headers', l.headers,
         'raw_payload_base64', l.raw_payload_base64, 'event_ts', l.event_ts, 'received_at', l.received_at,
         'originals', l.originals, 'lane', l.lane,
         'done', iif(d.id IS NULL, NULL, json_object('ended_at', d.ended_at, 'outcome', d.outcome, 'external_ref', d.external_ref)),
         'exception', iif(e.id IS NULL, NULL, json_object(
           'logged_at', e.logged_at, 'ended_at', e.ended_at, 'queue', e.queue, 'lane', e.lane, 'order_key', e.order_key,
           'status', e.status, 'outcome', e.outcome, 'attempts', e.attempts, 'retried', e.retried,
           'error_stage', e.error_stage, 'error_code', e.error_code, 'error_message', e.error_message,
           'external_ref', e.external_ref, 'fingerprint', e.fingerprint)))
  FROM dipmo_lot_row r JOIN inbox_log l ON l.id = r.id
  LEFT JOIN inbox_done d ON d.id = l.id
  LEFT JOIN inbox_exception e ON e.id = l.id
 WHERE r.lot_id = ?1 AND r.id > ?2 ORDER BY r.id LIMIT ?3
