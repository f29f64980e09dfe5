-- Writes where a message or unit stands that left the straight path; the last failure stays until
-- there is another. What is not said to be in a job is in none.
INSERT INTO {box}_exception AS e (id, logged_at, queue, lane, order_key, status, attempts,
                                  next_attempt_at, ended_at, held, parked_until, outcome, error_stage,
                                  error_code, error_message, external_ref, job_id, fingerprint)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
ON CONFLICT (id) DO UPDATE SET
  status = excluded.status, attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at,
  ended_at = excluded.ended_at, held = excluded.held, parked_until = excluded.parked_until,
  outcome = excluded.outcome,
  error_stage = coalesce(excluded.error_stage, e.error_stage),
  error_code = coalesce(excluded.error_code, e.error_code),
  error_message = CASE WHEN excluded.error_code IS NULL THEN e.error_message
                       ELSE excluded.error_message END,
  external_ref = excluded.external_ref, job_id = excluded.job_id,
  fingerprint = coalesce(excluded.fingerprint, e.fingerprint)
