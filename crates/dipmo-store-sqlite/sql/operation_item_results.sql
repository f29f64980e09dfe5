-- How many items of an operation met each end.
SELECT result, count(*) FROM dipmo_operation_item
 WHERE operation_id = ?1 AND result IS NOT NULL GROUP BY result
