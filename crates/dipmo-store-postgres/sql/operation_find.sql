-- One operation, and which lease of it is the last.
select o.id, o.act, o.side, o.forced, o.per_second, o.actor, o.reason, o.created_at, o.state, o.ended_at, o.items,
    o.met, o.done, o.owner, o.epoch
from dipmo_operation o where o.id = $1
