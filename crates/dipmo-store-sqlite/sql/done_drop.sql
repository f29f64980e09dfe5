-- Takes a done row away.
DELETE FROM {box}_done WHERE id = ?1
