-- Lines of records in a list of units, with what their intents tell of them. What is null was not asked for.
select r.id, r.outbox_id as intent_id, r.record_key, r.destination, o.aggregate_type, o.aggregate_id,
    o.event_type, o.cause_id, r.created_at, r.status, r.attempts, r.next_attempt_at, r.dispatched_at,
    r.external_ref, r.held_behind, r.job_id, coalesce(r.outcome = 'SKIPPED', false) as skipped, r.error_code,
    r.error_message, o.resend_of
from outbox_record r
cross join lateral (
    select * from outbox_log o where o.id = r.outbox_id and o.created_at = r.created_at offset 0) o
where {range}
  and ($4::varchar[] is null or r.status = any ($4))
  and (not $5::bool or r.held)
  and ($6::varchar is null or r.destination = $6)
  and ($7::varchar is null or o.event_type = $7)
  and ($8::varchar is null or o.aggregate_id = $8)
  and ($9::varchar is null or r.record_key = $9)
  and ($10::int8 is null or r.outbox_id = $10)
  and ($11::int8 is null or o.cause_id = $11)
  and ($12::varchar is null or r.error_code = $12)
  and ($13::int8 is null or r.fingerprint = $13 and r.status <> 'DISPATCHED' and r.outcome is null)
  and ($14::timestamptz is null or r.created_at >= $14)
  and ($15::timestamptz is null or r.created_at < $15)
  and ($16::text is null or strpos(r.record_key, $16) > 0 or strpos(o.aggregate_id, $16) > 0
       or strpos(o.headers::text, $16) > 0 or strpos(o.payload::text, $16) > 0
       or strpos(r.error_message, $16) > 0)
