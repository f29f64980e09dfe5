-- Puts a record of an intent back that is not there, from the line of an archive.
INSERT INTO outbox_record_log (id, created_at, outbox_id, destination, record_key)
VALUES (?1 ->> 'id', ?1 ->> 'created_at', ?1 ->> 'outbox_id', ?1 ->> 'destination', ?1 ->> 'record_key')
ON CONFLICT (id) DO NOTHING
