-- Which of some items were not met yet, and how they stood when the operation began. The operation is locked,
-- so that nobody else meets them. The inner LIMIT keeps the planner from looking for all that are open.
select i.id, i.status, i.attempts, i.retried
from unnest($2::int8[]) as u (id)
cross join lateral (
    select * from dipmo_operation_item i where i.operation_id = $1 and i.id = u.id limit 1) i
where i.result is null
