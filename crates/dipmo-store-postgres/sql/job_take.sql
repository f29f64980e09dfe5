-- Takes the oldest job of a destination that has not ended and whose lanes nobody has leased: all of its
-- lanes, or nothing. It waits for nobody, so that the order in which it locks does not matter, and
-- two who ask at once get two jobs. A row is a lane.
with job as materialized (
    select j.* from outbox_job j
    where j.destination = $2 and j.ended_at is null
      and (select true from outbox_lane l
           where l.destination = j.destination and l.job_id = j.id and l.lease_until > now() limit 1) is null
    order by j.id limit 1
    for update skip locked),
free as materialized (
    select l.lane from outbox_lane l
    where l.destination = $2 and l.job_id = (select id from job)
      and (l.lease_until is null or l.lease_until <= now())
    order by l.lane
    for update skip locked)
update outbox_lane l
set owner = $1, epoch = l.epoch + 1, lease_until = now() + $3::int8 * interval '1 microsecond'
from job cross join free
where l.destination = $2 and l.lane = free.lane
  and (select count(*) from free) = (
      select count(*) from outbox_lane a where a.destination = $2 and a.job_id = (select id from job))
returning job.id, job.destination, job.phase, job.remote_id, job.units, job.created_at, job.phase_at,
    l.lane, l.epoch
