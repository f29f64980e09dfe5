-- Holds the lanes of leases alone until the transaction ends, and fails unless all are still ours.
-- Alone, because two settlements of one lane could end a block and hold behind it at once; in
-- order, so that two settlements of several lanes do not deadlock.
select dipmo_assert(count(*) = cardinality($1::varchar[]), 'fenced', 'a lease of the outbox')
from (
    select from unnest($1::varchar[], $2::int2[], $3::int8[]) as u (destination, lane, epoch)
    join outbox_lane l on l.destination = u.destination and l.lane = u.lane and l.epoch = u.epoch
    order by l.destination, l.lane
    for no key update of l) held
