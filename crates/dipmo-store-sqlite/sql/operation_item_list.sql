-- Items of an operation behind ?3, in order; only those with result ?2, if it is said.
SELECT id, status, attempts, retried, result FROM dipmo_operation_item
 WHERE operation_id = ?1 AND id > ?3 AND (?2 IS NULL OR result = ?2) ORDER BY id LIMIT ?4
