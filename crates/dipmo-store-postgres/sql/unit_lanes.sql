-- Locks the lanes of units, in the order in which settlements lock them. Whoever has a lease keeps
-- it, and settles before or after this.
select l.destination, l.lane
from (
    select o.destination, o.lane from outbox_log o where o.id = any ($1::int8[])
    union
    select k.destination, k.lane from outbox_record_log k where k.id = any ($1::int8[])) u
join outbox_lane l on l.destination = u.destination and l.lane = u.lane
order by l.destination, l.lane
for no key update of l
