-- The newest incidents.
SELECT inbox_id, source_system, message_id, topic, partition_num, offset_num, raw_payload_base64,
       payload, received_at
  FROM inbox_incident ORDER BY id DESC LIMIT ?1
