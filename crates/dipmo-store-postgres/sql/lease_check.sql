-- Holds the lanes of leases until the transaction ends, and fails unless all are still ours.
select dipmo_assert(count(*) = cardinality($1::varchar[]), 'fenced', 'a lease of the outbox')
from (
    select from unnest($1::varchar[], $2::int2[], $3::int8[]) as u (destination, lane, epoch)
    join outbox_lane l on l.destination = u.destination and l.lane = u.lane and l.epoch = u.epoch
    for share of l) held
