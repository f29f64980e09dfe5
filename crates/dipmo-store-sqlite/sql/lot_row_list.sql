-- Up to ?2 of what is in a lot.
SELECT id FROM dipmo_lot_row WHERE lot_id = ?1 ORDER BY id LIMIT ?2
