-- Items of an operation that were not met yet, in order; those that were met are not walked past again.
SELECT id, status, attempts, retried, result
  FROM dipmo_operation_item INDEXED BY ix_dipmo_operation_item_open
 WHERE operation_id = ?1 AND result IS NULL ORDER BY id LIMIT ?2
