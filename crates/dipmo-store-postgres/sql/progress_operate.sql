-- Counts records that failed and were retried ($2) or given up ($3), the intents in their order.
with counted as materialized (
    select p.outbox_id, u.retried, u.skipped
    from unnest($1::int8[], $2::int4[], $3::int4[]) as u (outbox_id, retried, skipped)
    join outbox_progress p on p.outbox_id = u.outbox_id
    order by p.outbox_id
    for no key update of p)
update outbox_progress p
set failed = p.failed - c.retried, retried = p.retried + c.retried, skipped = p.skipped + c.skipped
from counted c
where p.outbox_id = c.outbox_id
