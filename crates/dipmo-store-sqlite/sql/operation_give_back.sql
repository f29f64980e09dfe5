-- Gives a lease back, unless somebody else took the operation.
UPDATE dipmo_operation SET owner = NULL, lease_until = NULL WHERE id = ?1 AND epoch = ?2
