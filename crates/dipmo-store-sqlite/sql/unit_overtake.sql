-- Notes for units of a key that failed before ?3 that it went on without them.
UPDATE outbox_exception SET overtaken_by = ?3
 WHERE queue = ?1 AND order_key = ?2 AND id < ?3 AND status = 'FAILED' AND overtaken_by IS NULL
   AND outcome IS NULL
