-- Keeps what a message said when it came, the first time that it is edited, and by whom it is edited now.
INSERT INTO inbox_edit (id, payload, event_type, edits, edited_by, edited_at)
SELECT id, payload, event_type, 1, ?2, ?3 FROM inbox_log WHERE id = ?1
ON CONFLICT (id) DO UPDATE SET edits = edits + 1, edited_by = excluded.edited_by, edited_at = excluded.edited_at
