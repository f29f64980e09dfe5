-- Puts an intent back that is not there, from the line of an archive.
INSERT INTO outbox_log (id, aggregate_type, aggregate_id, event_type, event_version, payload, headers, destination,
                        created_at, cause_id, reply_process, reply_id)
VALUES (?1 ->> 'id', ?1 ->> 'aggregate_type', ?1 ->> 'aggregate_id', ?1 ->> 'event_type', ?1 ->> 'event_version',
        ?1 ->> 'payload', ?1 ->> 'headers', ?1 ->> 'destination', ?1 ->> 'created_at', ?1 ->> 'cause_id',
        ?1 ->> 'reply_process', ?1 ->> 'reply_id')
ON CONFLICT (id) DO NOTHING
