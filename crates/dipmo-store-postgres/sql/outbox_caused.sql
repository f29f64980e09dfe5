-- Intents that messages caused and where they stand, in the order of ids, at most $2.
with caused as materialized (select id from outbox_log where cause_id = any ($1::int8[]))
select id, cause_id, event_version, aggregate_type, aggregate_id, event_type, reply_process, reply_id,
    headers, payload, created_at, destination, status, attempts, next_attempt_at, error_code,
    error_message, held_behind, coalesce(outcome = 'SKIPPED', false),
    (select l.resend_of from outbox_log l where l.id = outbox.id and l.created_at = outbox.created_at)
from outbox where id = any (array(select id from caused order by id limit $2)) order by id
