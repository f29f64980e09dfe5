-- What became of a wish: ?3 was wrong at ?2, or the rows are held until ?4.
UPDATE dipmo_lot
   SET wish = NULL, hold = NULL, checked_at = ?2, problem = ?3, restored_at = iif(?4 IS NULL, restored_at, ?2),
       restored_until = coalesce(?4, restored_until)
 WHERE id = ?1
