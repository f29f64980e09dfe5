-- Takes an exception row away.
DELETE FROM {box}_exception WHERE id = ?1
