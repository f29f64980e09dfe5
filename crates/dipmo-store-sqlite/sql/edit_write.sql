-- What a message says from now on.
UPDATE inbox_log SET payload = ?2, event_type = coalesce(?3, event_type) WHERE id = ?1
