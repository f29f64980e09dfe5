-- The units of leased lanes whose time has come again; no lane that a job holds, as in outbox_read.
with l as materialized (
    select u.destination, u.lane
    from unnest($1::varchar[], $2::int2[]) as u (destination, lane)
    where (select true from outbox_job where ended_at is null order by destination, id limit 1) is null
       or (select a.job_id is null from outbox_lane a where a.destination = u.destination and a.lane = u.lane))
select e.attempts, e.queue, e.lane, e.logged_at, e.id, k.outbox_id, k.record_key, e.retried
from l
cross join lateral (
    select id, attempts, retried, queue, lane, logged_at from outbox_exception e
    where e.queue = l.destination and e.lane = l.lane and e.next_attempt_at <= now()
    order by e.next_attempt_at, e.id limit $3) e
left join lateral (
    select outbox_id, record_key from outbox_record_log k
    where k.id = e.id and k.created_at = e.logged_at limit 1) k on true
limit $3
