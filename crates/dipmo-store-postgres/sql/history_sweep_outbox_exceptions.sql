-- Deletes up to $2 rows of units from before $1 that were dispatched after a detour, or given up; those of an
-- intent that is not settled stay with it. Each kind by itself, so that the index on STATUS finds it.
with gone as (
    delete from outbox_exception where ctid = any (array(
        select e.ctid from (
            select ctid, id, logged_at from outbox_exception
            where status = 'DISPATCHED' and logged_at < $1
            union all
            select ctid, id, logged_at from outbox_exception
            where status = 'FAILED' and outcome is not null and logged_at < $1) e
        where not exists (
            select from outbox_record_log k join outbox_progress p on p.outbox_id = k.outbox_id
            where k.id = e.id and k.created_at = e.logged_at and p.dispatched + p.skipped < p.total)
        limit $2))
    returning 1)
select count(*) from gone
