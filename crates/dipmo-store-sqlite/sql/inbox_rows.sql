-- The newest messages from ?2 to ?3 and where they stand.
-- Differs from the view INBOX because times stay numbers and no ready row is looked for: what is
-- neither an exception nor done is ready.
SELECT l.id, l.message_id, l.source_system, l.topic, l.partition_num, l.offset_num, l.key_str,
       l.aggregate_id, l.event_type, l.event_version, l.source_version, l.payload, l.headers,
       l.raw_payload_base64, l.event_ts, l.received_at, l.originals, l.lane,
       coalesce(e.status, iif(d.id IS NULL, 'RECEIVED', 'PROCESSED')),
       coalesce(e.attempts, d.id IS NOT NULL),
       e.next_attempt_at, coalesce(e.ended_at, d.ended_at), coalesce(e.outcome, d.outcome),
       b.head_id, e.error_stage, e.error_code, e.error_message
  FROM inbox_log l
  LEFT JOIN inbox_exception e ON e.id = l.id
  LEFT JOIN inbox_done d ON d.id = l.id
  LEFT JOIN inbox_block b
         ON e.held = 1 AND b.queue = e.queue AND b.order_key = e.order_key AND b.head_id <> e.id
 WHERE l.id BETWEEN ?2 AND ?3 ORDER BY l.id DESC LIMIT ?1
