-- A lot that stands at ?2 goes on to ?3; it is dropped at ?4.
UPDATE dipmo_lot SET state = ?3, dropped_at = iif(?3 = 'DROPPED', ?4, NULL) WHERE id = ?1 AND state = ?2
