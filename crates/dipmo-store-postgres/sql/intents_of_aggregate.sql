-- The intents of an aggregate, of whatever type: the index is entered once for each.
select o.id, o.created_at
from ({types}) t
cross join lateral (
    select o.id, o.created_at from outbox_log o
    where o.aggregate_type = t.name and o.aggregate_id = {key}::varchar offset 0) o
