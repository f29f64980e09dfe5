-- How many rows a lot has, and the last of them.
SELECT count(*), coalesce(max(id), 0) FROM dipmo_lot_row WHERE lot_id = ?1
