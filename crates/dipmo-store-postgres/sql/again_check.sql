-- Fails unless all these units still wait to be delivered. The inner LIMIT keeps the planner from
-- looking for all that wait instead of for these.
select dipmo_assert(count(*) = cardinality($1::int8[]), 'fenced', 'a unit of the outbox')
from unnest($1::int8[]) as u (id)
cross join lateral (select status, held from outbox_exception e where e.id = u.id limit 1) e
where e.status = 'PENDING' and not e.held
