-- Puts messages of a detached month back that are not settled; they land in the rest.
with unsettled as (
    select unnest(r.ids) as id from inbox_ready r
    union
    select e.id from inbox_exception e where e.status <> 'PROCESSED'),
carried as (
    insert into inbox_log
    select m.* from inbox_log_{month} m where m.id in (select id from unsettled)
    returning 1)
select count(*) from carried
