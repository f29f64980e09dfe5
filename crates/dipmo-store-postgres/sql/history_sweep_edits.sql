-- Forgets up to $2 originals of messages from before $1 that are dropped, or ended.
with gone as (
    delete from inbox_edit where ctid = any (array(
        select o.ctid from inbox_edit o
        where o.logged_at < $1 and not exists (select from inbox_exception e where e.id = o.id) limit $2))
    returning 1)
select count(*) from gone
