-- Leases the duty ?1 to ?2 until ?4, if nobody has it at ?3.
INSERT INTO dipmo_duty AS d (name, owner, epoch, lease_until) VALUES (?1, ?2, 1, ?4)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, epoch = d.epoch + 1, lease_until = excluded.lease_until
 WHERE coalesce(d.lease_until, 0) <= ?3
RETURNING epoch
