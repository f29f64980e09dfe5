-- Leases until ?4 an operation that runs and that nobody has: the one with number ?1, or else the oldest.
UPDATE dipmo_operation SET owner = ?2, epoch = epoch + 1, lease_until = ?4
 WHERE id = (SELECT id FROM dipmo_operation
              WHERE state = 'RUNNING' AND id = coalesce(?1, id) AND coalesce(lease_until, 0) <= ?3
              ORDER BY id LIMIT 1)
RETURNING id
