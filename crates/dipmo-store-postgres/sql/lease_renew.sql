-- Prolongs leases that are still ours. Locked in order first, as settlements lock them.
with ours as materialized (
    select l.destination, l.lane
    from unnest($2::varchar[], $3::int2[], $4::int8[]) as u (destination, lane, epoch)
    join outbox_lane l on l.destination = u.destination and l.lane = u.lane and l.epoch = u.epoch
    where l.owner = $1
    order by l.destination, l.lane
    for no key update of l)
update outbox_lane l set lease_until = now() + $5::int8 * interval '1 microsecond'
from ours
where l.destination = ours.destination and l.lane = ours.lane
returning l.destination, l.lane, l.epoch
