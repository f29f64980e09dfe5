-- Lines of intents in a list of units. An intent with records is no unit. What is null was not asked for.
select o.id, o.id as intent_id, null::varchar as record_key, o.destination, o.aggregate_type, o.aggregate_id,
    o.event_type, o.cause_id, o.created_at, o.status, o.attempts, o.next_attempt_at, o.dispatched_at,
    o.external_ref, o.held_behind, o.job_id, coalesce(o.outcome = 'SKIPPED', false) as skipped, o.error_code,
    o.error_message,
    (select l.resend_of from outbox_log l where l.id = o.id and l.created_at = o.created_at) as resend_of
from outbox o
where {range} and o.records is null and $9::varchar is null
  and ($4::varchar[] is null or o.status = any ($4))
  and (not $5::bool or o.held)
  and ($6::varchar is null or o.destination = $6)
  and ($7::varchar is null or o.event_type = $7)
  and ($8::varchar is null or o.aggregate_id = $8)
  and ($10::int8 is null or o.id = $10)
  and ($11::int8 is null or o.cause_id = $11)
  and ($12::varchar is null or o.error_code = $12)
  and ($13::int8 is null or o.fingerprint = $13 and o.status <> 'DISPATCHED' and o.outcome is null)
  and ($14::timestamptz is null or o.created_at >= $14)
  and ($15::timestamptz is null or o.created_at < $15)
  and ($16::text is null or strpos(o.aggregate_id, $16) > 0 or strpos(o.headers::text, $16) > 0
       or strpos(o.payload::text, $16) > 0 or strpos(o.error_message, $16) > 0)
