-- Gives a lease of a duty back that is still ours.
update dipmo_duty set owner = null, lease_until = null where name = $1 and epoch = $2
