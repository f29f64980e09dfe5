-- An item of an operation that was not met yet.
SELECT id, status, attempts, retried, result FROM dipmo_operation_item
 WHERE operation_id = ?1 AND id = ?2 AND result IS NULL
