-- Forgets up to ?2 items of operations that came to their end before ?1.
DELETE FROM dipmo_operation_item WHERE (operation_id, id) IN (
  SELECT i.operation_id, i.id FROM dipmo_operation o
   CROSS JOIN dipmo_operation_item i ON i.operation_id = o.id
   WHERE o.ended_at < ?1 LIMIT ?2)
