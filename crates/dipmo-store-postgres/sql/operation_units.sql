-- Units that left the straight path, did not end and were not given up, have one of the statuses $1 and fit a filter,
-- at most $2, and how they stand. What is null was not asked for, and the logs are looked at for each only where $11 says so.
-- PENDING is only taken where it was tried.
select e.id, e.status, e.attempts, e.retried
from outbox_exception e
where e.status = any ($1::varchar[]) and e.outcome is null
  and (e.status = 'FAILED' or e.attempts > 0) and not e.held
  and (not $3::bool or e.held)
  and ($4::varchar is null or e.error_code = $4)
  and ($5::int8 is null or e.fingerprint = $5)
  and ($6::timestamptz is null or e.logged_at >= $6)
  and ($7::timestamptz is null or e.logged_at < $7)
  and ($8::varchar is null or e.queue = $8)
  and ($9::int8 is null or e.id = any (array(
      select $9 union all select k.id from outbox_record_log k where k.outbox_id = $9)))
  and ($10::int8 is null or e.id = any (array(
      select coalesce(k.id, o.id) from outbox_log o
      left join outbox_record_log k on k.outbox_id = o.id and k.created_at = o.created_at
      where o.cause_id = $10)))
  and (not $11::bool or (
      select true from (select) unit
      left join outbox_record_log k on k.id = e.id and k.created_at = e.logged_at
      join outbox_log o on o.id = coalesce(k.outbox_id, e.id) and o.created_at = e.logged_at
      where ($12::varchar is null or o.event_type = $12)
        and ($13::varchar is null or o.aggregate_id = $13)
        and ($14::varchar is null or k.record_key = $14)
        and ($15::text is null or strpos(k.record_key, $15) > 0 or strpos(o.aggregate_id, $15) > 0
             or strpos(o.headers::text, $15) > 0 or strpos(o.payload::text, $15) > 0
             or strpos(e.error_message, $15) > 0)
      limit 1) is true)
limit $2
