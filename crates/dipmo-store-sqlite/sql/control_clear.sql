-- Forgets a control.
DELETE FROM dipmo_control WHERE kind = ?1 AND name = ?2 AND setting = ?3
