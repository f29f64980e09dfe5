-- Gives leases back that are still ours; when they ended says whose turn it is next.
update outbox_lane l set owner = null, lease_until = now()
from unnest($2::varchar[], $3::int2[], $4::int8[]) as u (destination, lane, epoch)
where l.destination = u.destination and l.lane = u.lane and l.epoch = u.epoch and l.owner = $1
