-- Writes what became of items, and counts them; answers how many were met, and how many done. Each item is looked up by
-- its key: a plan that was made for small operations would else read all items of a large one.
with found as materialized (
    select i.place, u.result
    from unnest($2::int8[], $3::varchar[]) as u (id, result)
    cross join lateral (
        select i.ctid as place from dipmo_operation_item i
        where i.operation_id = $1 and i.id = u.id limit 1) i),
met as (
    update dipmo_operation_item i set result = f.result
    from found f
    where i.ctid = f.place
    returning i.result),
counted as materialized (
    select count(*) as met, count(*) filter (where result = 'DONE') as done from met)
update dipmo_operation o set met = o.met + c.met, done = o.done + c.done
from counted c
where o.id = $1
returning c.met, c.done
