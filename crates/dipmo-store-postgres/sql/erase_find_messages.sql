-- The messages of an aggregate.
select id from {log} where aggregate_id = $1::varchar
