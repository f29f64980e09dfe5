-- Writes an item of an operation, as it stands.
INSERT INTO dipmo_operation_item (operation_id, id, status, attempts, retried) VALUES (?1, ?2, ?3, ?4, ?5)
