-- Leases up to $4 lanes of a destination that have something to deliver and belong to nobody, those
-- first that were left alone longest. A lane that a job holds is leased with the job. The lanes are chosen once: a join could ask again for every
-- lane, and get others.
with free as materialized (
    select c.lane from outbox_lane c
    where c.destination = $2 and c.job_id is null and (c.lease_until is null or c.lease_until <= now())
      and ((select true from outbox_ready r
            where r.destination = c.destination and r.lane = c.lane limit 1)
        or (select true from outbox_exception e
            where e.queue = c.destination and e.lane = c.lane and e.next_attempt_at <= now() limit 1))
    order by c.lease_until nulls first, c.lane limit $4
    for update skip locked)
update outbox_lane l
set owner = $1, epoch = l.epoch + 1, lease_until = now() + $3::int8 * interval '1 microsecond'
from free
where l.destination = $2 and l.lane = free.lane
returning l.lane, l.epoch
