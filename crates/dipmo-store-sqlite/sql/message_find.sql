-- A message, for a handler.
SELECT l.id, l.message_id, l.source_system, l.topic, l.partition_num, l.offset_num, l.key_str,
       l.aggregate_id, l.event_type, l.event_version, l.source_version, l.payload, l.headers,
       l.raw_payload_base64, l.event_ts, l.received_at, l.originals, l.lane
  FROM inbox_log l WHERE l.id = ?1
