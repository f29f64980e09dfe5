-- Puts intents of a detached month back that are not settled, or have a record that is not.
with unsettled as (
    select unnest(r.ids) as id from outbox_ready r
    union
    select e.id from outbox_exception e where e.status <> 'DISPATCHED' and e.outcome is null
    union
    select p.outbox_id from outbox_progress p where p.dispatched + p.skipped < p.total),
carried as (
    insert into outbox_log
    select o.* from outbox_log_{month} o where o.id in (select id from unsettled)
    returning 1)
select count(*) from carried
