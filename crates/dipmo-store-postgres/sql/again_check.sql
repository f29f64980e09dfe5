-- Fails unless all these units still wait to be delivered, and were not retried by an operator
-- since they were read. The inner LIMIT keeps the planner from
-- looking for all that wait instead of for these.
select dipmo_assert(count(*) = cardinality($1::int8[]), 'fenced', 'a unit of the outbox')
from unnest($1::int8[], $2::int4[]) as u (id, retried)
cross join lateral (select status, held, retried from outbox_exception e where e.id = u.id limit 1) e
where e.status = 'PENDING' and not e.held and e.retried = u.retried
