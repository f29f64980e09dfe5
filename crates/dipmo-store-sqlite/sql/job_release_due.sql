-- A unit leaves its job and is due, as it was.
UPDATE outbox_exception SET job_id = NULL, next_attempt_at = coalesce(next_attempt_at, ?2) WHERE id = ?1
