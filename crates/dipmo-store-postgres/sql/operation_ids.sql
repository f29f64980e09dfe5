-- How messages or units stand that are named by their ids, as whoever acts on them sees it.
select s.id, s.status, s.attempts, s.retried
from ({standing}) as s (id, queue, lane, status, attempts, aside, held, parked, skipped, order_key, intent_id,
    overtaken_by, heads, retried)
