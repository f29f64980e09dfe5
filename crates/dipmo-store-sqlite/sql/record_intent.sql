-- The intent that a record is of.
SELECT outbox_id FROM outbox_record_log WHERE id = ?1
