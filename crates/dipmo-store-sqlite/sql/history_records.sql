-- The records of an intent.
SELECT id FROM outbox_record_log WHERE outbox_id = ?1
