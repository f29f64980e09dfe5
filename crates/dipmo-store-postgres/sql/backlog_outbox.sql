-- The same for the outbox, by destination; nothing is ever parked there, and what was given
-- up waits for nobody.
select queue, sum(ready)::int8, sum(retrying)::int8, sum(held)::int8, 0::int8 as parked,
    sum(failed)::int8, min(oldest)
from (
    select destination as queue, sum(cardinality(ids)) as ready, 0 as retrying, 0 as held,
        0 as failed, min(logged_at) as oldest
    from outbox_ready group by destination
    union all
    select queue, 0,
        count(*) filter (where status = 'PENDING' and not held),
        count(*) filter (where status = 'PENDING' and held),
        count(*) filter (where status = 'FAILED'),
        min(logged_at) filter (where next_attempt_at <= now())
    from outbox_exception
    where status <> 'DISPATCHED' and outcome is null group by queue) w
group by queue
