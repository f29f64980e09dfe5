-- Messages that left the straight path, did not end, have one of the statuses $1 and fit a filter, at most $2, and
-- how they stand. What is null was not asked for, and the log is looked at for each only where $9 says so. What is held
-- waits for another one; what cannot be decoded stands in the line of its key as well, and waits for a person.
select e.id, e.status, e.attempts, e.retried
from inbox_exception e
where e.status = any ($1::varchar[]) and e.outcome is null
  and (e.status <> 'RECEIVED' or e.parked_until is not null)
  and (e.status = 'SERDE_ERROR' or not e.held)
  and case $3::varchar
      when 'held' then e.held and e.status in ('RECEIVED', 'RETRY')
      when 'parked' then e.parked_until is not null
      else true end
  and ($4::varchar is null or e.error_code = $4)
  and ($5::int8 is null or e.fingerprint = $5)
  and ($6::timestamptz is null or e.logged_at >= $6)
  and ($7::timestamptz is null or e.logged_at < $7)
  and ($8::varchar is null or e.id = any (array(select m.id from inbox_log m where m.aggregate_id = $8)))
  and (not $9::bool or (
      select true from inbox_log m
      where m.id = e.id and m.received_at = e.logged_at
        and ($10::varchar is null or m.topic = $10)
        and ($11::varchar is null or m.event_type = $11)
        and ($12::varchar is null or m.source_system = $12)
        and ($13::varchar is null or m.message_id = $13)
        and ($14::text is null or strpos(m.message_id, $14) > 0 or strpos(m.aggregate_id, $14) > 0
             or strpos(m.key_str, $14) > 0 or strpos(m.headers::text, $14) > 0 or strpos(m.payload::text, $14) > 0
             or strpos(e.error_message, $14) > 0)
      limit 1) is true)
limit $2
