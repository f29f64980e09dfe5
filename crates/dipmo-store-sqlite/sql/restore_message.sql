-- Puts a message back that is not there, from the line of an archive.
INSERT INTO inbox_log (id, message_id, source_system, topic, partition_num, offset_num, key_str, aggregate_id, event_type,
                       event_version, source_version, payload, headers, raw_payload_base64, event_ts, received_at,
                       originals, lane)
VALUES (?1 ->> 'id', ?1 ->> 'message_id', ?1 ->> 'source_system', ?1 ->> 'topic', ?1 ->> 'partition_num',
        ?1 ->> 'offset_num', ?1 ->> 'key_str', ?1 ->> 'aggregate_id', ?1 ->> 'event_type', ?1 ->> 'event_version',
        ?1 ->> 'source_version', ?1 ->> 'payload', ?1 ->> 'headers', ?1 ->> 'raw_payload_base64', ?1 ->> 'event_ts',
        ?1 ->> 'received_at', ?1 ->> 'originals', ?1 ->> 'lane')
ON CONFLICT (id) DO NOTHING
