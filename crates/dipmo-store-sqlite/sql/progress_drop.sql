-- Stops counting the records of an intent.
DELETE FROM outbox_progress WHERE outbox_id = ?1
