-- Writes a record of an intent into the log.
INSERT INTO outbox_record_log (id, created_at, outbox_id, destination, record_key)
VALUES (?1, ?2, ?3, ?4, ?5)
