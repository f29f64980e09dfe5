-- A duty, and who does it.
select name, owner, lease_until, asked_at, trouble from dipmo_duty where name = $1
