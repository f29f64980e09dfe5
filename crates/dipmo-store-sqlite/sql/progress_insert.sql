-- Begins to count the records of an intent.
INSERT INTO outbox_progress (outbox_id, total, dispatched, failed) VALUES (?1, ?2, 0, 0)
