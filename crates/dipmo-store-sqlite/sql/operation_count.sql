-- Counts items that were met, and those of them to which it was done.
UPDATE dipmo_operation SET met = met + ?2, done = done + ?3 WHERE id = ?1
