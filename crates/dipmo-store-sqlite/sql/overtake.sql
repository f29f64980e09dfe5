-- Notes for those of a key that failed before ?3 that it went on without them.
UPDATE {box}_exception SET overtaken_by = ?3
 WHERE queue = ?1 AND order_key = ?2 AND id < ?3 AND status = 'FAILED' AND overtaken_by IS NULL
   AND outcome IS NULL
