-- Forgets up to $2 items of operations that ended before a time; answers how many.
with gone as (
    delete from dipmo_operation_item where ctid = any (array(
        select i.ctid from dipmo_operation o join dipmo_operation_item i on i.operation_id = o.id
        where o.ended_at < $1 limit $2))
    returning id)
select count(*) from gone
