-- Takes a row out of a lot.
DELETE FROM dipmo_lot_row WHERE lot_id = ?1 AND id = ?2
