-- Prolongs a lease of an operation that runs, if it is still ours, or ends the operation when every item was met:
-- then nobody has it any more.
update dipmo_operation o
set state = case when o.met < o.items then o.state else 'ENDED' end,
    ended_at = case when o.met < o.items then o.ended_at else now() end,
    owner = case when o.met < o.items then o.owner end,
    lease_until = case when o.met < o.items then now() + $3::int8 * interval '1 microsecond' end
where o.id = $1 and o.epoch = $2 and o.state = 'RUNNING'
