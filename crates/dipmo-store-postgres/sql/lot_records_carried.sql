-- What was carried over is in no lot.
with carried as (
    delete from outbox_record_aside_{lot} a using outbox_record_log_rest r
    where a.id = r.id and a.created_at = r.created_at returning 1)
select count(*) from carried
