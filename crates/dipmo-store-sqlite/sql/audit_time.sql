-- When an entry was added.
SELECT at FROM dipmo_audit WHERE id = ?1
