-- Counts records that ended; answers how far their intents are.
update outbox_progress p set dispatched = p.dispatched + u.dispatched, failed = p.failed + u.failed
from unnest($1::int8[], $2::int4[], $3::int4[]) as u (outbox_id, dispatched, failed)
where p.outbox_id = u.outbox_id
returning p.outbox_id, p.total, p.dispatched, p.failed, p.retried
