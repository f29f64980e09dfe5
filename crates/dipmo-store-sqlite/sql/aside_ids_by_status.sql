-- The same for those with status ?4.
SELECT id FROM {box}_exception INDEXED BY ix_{box}_exception_listed
 WHERE status = ?4 AND id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3
