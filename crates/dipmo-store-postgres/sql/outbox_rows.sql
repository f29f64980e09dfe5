-- The newest intents and where they stand.
select id, cause_id, event_version, aggregate_type, aggregate_id, event_type, reply_process, reply_id,
    headers, payload, created_at, destination, status, attempts, next_attempt_at, error_code,
    error_message, held_behind, coalesce(outcome = 'SKIPPED', false)
from outbox order by id desc limit $1
