-- The intents of the aggregate $1, of whatever type, and those that the messages $2 caused, with who wants to hear of them.
with recursive types (name) as (
    (select aggregate_type from {log} order by aggregate_type limit 1)
    union all
    select (select o.aggregate_type from {log} o where o.aggregate_type > t.name order by o.aggregate_type limit 1)
    from types t where t.name is not null)
select o.id, o.reply_process, o.reply_id
from types t
cross join lateral (
    select o.id, o.reply_process, o.reply_id from {log} o
    where o.aggregate_type = t.name and o.aggregate_id = $1::varchar offset 0) o
union
select o.id, o.reply_process, o.reply_id from {log} o where o.cause_id = any ($2::int8[])
