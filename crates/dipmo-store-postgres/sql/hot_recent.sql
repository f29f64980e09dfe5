-- Aggregates with the most among the $2 newest messages, the most first and at most $1, and how many messages those
-- are.
with recent as materialized (
    select aggregate_id, received_at from inbox_log order by id desc limit $2::int8)
select aggregate_id, count(*), max(received_at), (select count(*) from recent)
from recent where aggregate_id is not null group by aggregate_id
order by 2 desc, 3 desc, 1 limit $1::int8
