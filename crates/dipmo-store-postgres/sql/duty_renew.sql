-- Prolongs a lease of a duty that is still ours, and tells how the duty stands.
update dipmo_duty set lease_until = now() + $3::int8 * interval '1 microsecond' where name = $1 and epoch = $2
returning name, owner, lease_until, asked_at, trouble
