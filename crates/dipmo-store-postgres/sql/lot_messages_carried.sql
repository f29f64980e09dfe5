-- What was carried over is in no lot.
with carried as (
    delete from inbox_aside_{lot} a using inbox_log_rest r where a.id = r.id and a.received_at = r.received_at returning 1)
select count(*) from carried
