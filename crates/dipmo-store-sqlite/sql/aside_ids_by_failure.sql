-- The same for those whose last failure is of the group ?4.
SELECT id FROM {box}_exception INDEXED BY ix_{box}_exception_fingerprint
 WHERE fingerprint = ?4 AND id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3
