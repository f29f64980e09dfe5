-- Forgets what a message said that is dropped.
DELETE FROM inbox_edit WHERE id = ?1
