-- Takes the records of an intent out of the log.
DELETE FROM outbox_record_log WHERE outbox_id = ?1
