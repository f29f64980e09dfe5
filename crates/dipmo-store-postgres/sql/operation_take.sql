-- Leases the operation with the number $1, or the oldest, if it runs and nobody has it. Of two who ask at
-- once one gets it, and nobody waits: whoever performs an item right now has it locked.
with free as materialized (
    select f.id from dipmo_operation f
    where f.state = 'RUNNING' and ($1::int8 is null or f.id = $1)
      and (f.lease_until is null or f.lease_until <= now())
    order by f.id limit 1
    for no key update skip locked)
update dipmo_operation o
set owner = $2, epoch = o.epoch + 1, lease_until = now() + $3::int8 * interval '1 microsecond'
from free
where o.id = free.id
returning o.id, o.act, o.side, o.forced, o.per_second, o.actor, o.reason, o.created_at, o.state, o.ended_at, o.items,
    o.met, o.done, o.owner, o.epoch
