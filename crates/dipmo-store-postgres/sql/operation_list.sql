-- Operations from $2 to before $1, the newest first, at most $3.
select o.id, o.act, o.side, o.forced, o.per_second, o.actor, o.reason, o.created_at, o.state, o.ended_at, o.items,
    o.met, o.done, o.owner
from dipmo_operation o where o.id < $1 and o.id >= $2 order by o.id desc limit $3
