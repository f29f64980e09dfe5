-- The records of an intent that failed, at most 1,000.
with k as materialized (select id, record_key from outbox_record_log where outbox_id = $1)
select k.record_key, e.error_code, e.error_message
from k
cross join lateral (
    select status, error_code, error_message from outbox_exception e where e.id = k.id limit 1) e
where e.status = 'FAILED'
order by k.id limit 1000
