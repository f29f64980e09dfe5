-- Keeps a message that came with the id of another one and a different content.
INSERT INTO inbox_incident (inbox_id, source_system, message_id, topic, partition_num, offset_num,
                            payload, raw_payload_base64, received_at, aggregate_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
