-- Whether an aggregate has no more than $2 intents, and aggregates no more than 100 types.
select (select count(*) from ({types}) t) <= 100
    and (select count(*) from (
            select from ({types}) t
            cross join lateral (
                select from outbox_log o
                where o.aggregate_type = t.name and o.aggregate_id = $1::varchar limit $2::int8 + 1) o
            limit $2::int8 + 1) i) <= $2
