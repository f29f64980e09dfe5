-- Says how many items an operation has that was just begun. One without any has ended.
update dipmo_operation o
set items = $2::int8, state = case when $2 = 0 then 'ENDED' else o.state end,
    ended_at = case when $2 = 0 then now() end
where o.id = $1
returning o.id, o.act, o.side, o.forced, o.per_second, o.actor, o.reason, o.created_at, o.state, o.ended_at, o.items,
    o.met, o.done, o.owner
