-- Writes where messages or units stand that left the straight path. Times are given as
-- microseconds from now; the last failure stays until there is another. Attempts are added to those
-- that are there: an operator may have set them back since a unit was read. What was not tried keeps
-- its status, and what is not said to be in a job is in none.
insert into {box}_exception as e (id, logged_at, queue, lane, order_key, status, attempts,
    next_attempt_at, ended_at, held, parked_until, outcome, error_stage, error_code, error_message,
    external_ref, job_id, fingerprint, failed_at)
select id, coalesce(logged_at, now()), queue, lane, order_key, status, attempts,
    now() + due_in * interval '1 microsecond', case when ended then now() end, held, parked_until,
    outcome, error_stage, error_code, error_message, external_ref, job_id, fingerprint,
    case when error_code is not null then now() end
from unnest($1::int8[], $2::timestamptz[], $3::varchar[], $4::int2[], $5::varchar[], $6::varchar[],
    $7::int4[], $8::int8[], $9::bool[], $10::bool[], $11::timestamptz[], $12::varchar[],
    $13::varchar[], $14::varchar[], $15::varchar[], $16::varchar[], $17::int8[], $18::int8[])
    as u (id, logged_at, queue, lane, order_key, status, attempts, due_in, ended, held, parked_until,
        outcome, error_stage, error_code, error_message, external_ref,
        job_id, fingerprint)
on conflict (id) do update set
    status = case when excluded.attempts = 0 then e.status else excluded.status end,
    attempts = e.attempts + excluded.attempts,
    next_attempt_at = excluded.next_attempt_at, ended_at = excluded.ended_at,
    held = excluded.held, parked_until = excluded.parked_until, outcome = excluded.outcome,
    error_stage = coalesce(excluded.error_stage, e.error_stage),
    error_code = coalesce(excluded.error_code, e.error_code),
    error_message = case when excluded.error_code is null then e.error_message
                         else excluded.error_message end,
    external_ref = excluded.external_ref, job_id = excluded.job_id,
    fingerprint = coalesce(excluded.fingerprint, e.fingerprint),
    failed_at = coalesce(excluded.failed_at, e.failed_at)
