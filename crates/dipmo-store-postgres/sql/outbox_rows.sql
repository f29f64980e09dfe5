-- The newest intents from $2 to $3 and where they stand.
select id, cause_id, event_version, aggregate_type, aggregate_id, event_type, reply_process, reply_id,
    headers, payload, created_at, destination, status, attempts, next_attempt_at, error_code,
    error_message, held_behind, coalesce(outcome = 'SKIPPED', false),
    (select l.resend_of from outbox_log l where l.id = outbox.id and l.created_at = outbox.created_at)
from outbox where id between $2 and $3 order by id desc limit $1
