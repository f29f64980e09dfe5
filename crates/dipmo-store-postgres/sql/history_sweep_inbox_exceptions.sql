-- Deletes up to $2 rows of messages from before $1 that ended after a detour.
with gone as (
    delete from inbox_exception where ctid = any (array(
        select e.ctid from inbox_exception e where e.status = 'PROCESSED' and e.logged_at < $1 limit $2))
    returning 1)
select count(*) from gone
