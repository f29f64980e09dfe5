-- The intent of a record.
select outbox_id from outbox_record_log where id = $1
