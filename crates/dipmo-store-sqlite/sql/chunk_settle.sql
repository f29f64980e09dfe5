-- Takes a chunk away and answers what was in it.
DELETE FROM {box}_ready WHERE queue = ?1 AND lane = ?2 AND chunk = ?3 RETURNING id
