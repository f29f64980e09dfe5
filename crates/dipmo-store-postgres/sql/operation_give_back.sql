-- Gives a lease back that is still ours.
update dipmo_operation set owner = null, lease_until = null
where id = $1 and epoch = $2
