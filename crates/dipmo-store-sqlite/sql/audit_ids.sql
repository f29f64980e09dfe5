-- Numbers of entries from ?1 to before ?2, the newest first.
SELECT id FROM dipmo_audit WHERE id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3
