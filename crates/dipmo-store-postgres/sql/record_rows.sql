-- The records of an intent and where they stand.
select id, outbox_id, destination, record_key, status, attempts, next_attempt_at, error_code,
    error_message, external_ref, held_behind, coalesce(outcome = 'SKIPPED', false)
from outbox_record where outbox_id = $1 order by id
