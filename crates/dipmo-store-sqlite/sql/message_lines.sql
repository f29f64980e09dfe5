-- Those of the messages ?1 that are wanted, in the order of ?1, and where they stand.
SELECT l.id, l.message_id, l.source_system, l.topic, l.partition_num, l.offset_num, l.aggregate_id,
       l.event_type, l.received_at, l.lane,
       coalesce(e.status, iif(d.id IS NULL, 'RECEIVED', 'PROCESSED')),
       coalesce(e.attempts, d.id IS NOT NULL),
       e.next_attempt_at, coalesce(e.ended_at, d.ended_at), coalesce(e.outcome, d.outcome),
       e.parked_until IS NOT NULL, b.head_id, e.error_stage, e.error_code, e.error_message
  FROM json_each(?1) i
  CROSS JOIN inbox_log l ON l.id = i.value
  LEFT JOIN inbox_exception e ON e.id = l.id
  LEFT JOIN inbox_done d ON d.id = l.id
  LEFT JOIN inbox_block b
         ON e.held = 1 AND b.queue = e.queue AND b.order_key = e.order_key AND b.head_id <> e.id
 WHERE {wanted}
 ORDER BY i.rowid
