-- Puts the records of a detached month back whose intent is not settled: all of them, so that the
-- intent can still be looked at as a whole.
with carried as (
    insert into outbox_record_log
    select k.* from outbox_record_log_{month} k
    where exists (select from outbox_progress p where p.outbox_id = k.outbox_id and p.dispatched + p.skipped < p.total)
    returning 1)
select count(*) from carried
