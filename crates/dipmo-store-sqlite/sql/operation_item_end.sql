-- Writes what became of an item, once.
UPDATE dipmo_operation_item SET result = ?3 WHERE operation_id = ?1 AND id = ?2 AND result IS NULL
