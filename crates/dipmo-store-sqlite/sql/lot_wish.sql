-- Somebody wants something of a lot that has files.
UPDATE dipmo_lot SET wish = ?2, hold = ?3 WHERE id = ?1 AND directory IS NOT NULL
