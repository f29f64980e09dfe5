-- Writes that an operation stands at ?2 now; nobody has one that came to its end, at ?3.
UPDATE dipmo_operation
   SET state = ?2, ended_at = ?3, owner = iif(?3 IS NULL, owner, NULL),
       lease_until = iif(?3 IS NULL, lease_until, NULL)
 WHERE id = ?1
