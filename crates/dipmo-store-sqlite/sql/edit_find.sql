-- What a message said when it came, if it was edited since.
SELECT payload, event_type, edits, edited_by, edited_at FROM inbox_edit WHERE id = ?1
