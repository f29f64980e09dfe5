-- Prolongs a lease of an operation that runs until ?3, or ends the operation at ?4 when every item was met.
UPDATE dipmo_operation
   SET state = iif(met < items, 'RUNNING', 'ENDED'), ended_at = iif(met < items, NULL, ?4),
       owner = iif(met < items, owner, NULL), lease_until = iif(met < items, ?3, NULL)
 WHERE id = ?1 AND epoch = ?2 AND state = 'RUNNING'
