-- The units of a job behind $2 and up to $3 that have rows of their own, as outbox_read_due tells units.
select e.attempts, e.queue, e.lane, e.logged_at, e.id, k.outbox_id, k.record_key, e.retried
from outbox_exception e
left join lateral (
    select outbox_id, record_key from outbox_record_log k
    where k.id = e.id and k.created_at = e.logged_at limit 1) k on true
where e.job_id is not null and (e.job_id, e.id) > ($1, $2) and (e.job_id, e.id) <= ($1, $3)
