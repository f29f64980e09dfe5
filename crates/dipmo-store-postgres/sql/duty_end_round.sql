-- A round of a duty that is still ours has ended: who asked for one until $3 has it.
update dipmo_duty
set trouble = $4::varchar, asked_at = case when asked_at <= $3::timestamptz then null else asked_at end
where name = $1 and epoch = $2
returning name
