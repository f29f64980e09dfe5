-- Takes a message out of the line of its key that cannot be decoded.
UPDATE inbox_exception SET held = 0 WHERE id = ?1 AND status = 'SERDE_ERROR'
