-- The types that aggregates of intents have, found one after the other in the index; at most 101.
with recursive types (name, place) as (
    (select aggregate_type, 1 from outbox_log order by aggregate_type limit 1)
    union all
    select (select o.aggregate_type from outbox_log o where o.aggregate_type > t.name
            order by o.aggregate_type limit 1), t.place + 1
    from types t where t.name is not null and t.place < 101)
select name from types where name is not null
