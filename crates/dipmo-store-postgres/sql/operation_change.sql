-- Pauses, resumes or cancels an operation, which is locked. Nobody has one that is cancelled.
update dipmo_operation o
set state = $2::varchar, ended_at = case when $2 = 'CANCELLED' then now() end,
    owner = case when $2 <> 'CANCELLED' then o.owner end,
    lease_until = case when $2 <> 'CANCELLED' then o.lease_until end
where o.id = $1
returning o.id, o.act, o.side, o.forced, o.per_second, o.actor, o.reason, o.created_at, o.state, o.ended_at, o.items,
    o.met, o.done, o.owner
