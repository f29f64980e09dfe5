-- Writes a message into the log.
-- Differs from PostgreSQL because a row at a time costs no round trip here.
INSERT INTO inbox_log (id, message_id, source_system, topic, partition_num, offset_num, key_str,
                       aggregate_id, event_type, event_version, source_version, payload, headers,
                       raw_payload_base64, event_ts, received_at, originals, lane)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
