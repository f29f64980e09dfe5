-- Writes an intent into the log.
INSERT INTO outbox_log (id, aggregate_type, aggregate_id, event_type, event_version, payload, headers,
                        destination, created_at, cause_id, reply_process, reply_id, caused_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
