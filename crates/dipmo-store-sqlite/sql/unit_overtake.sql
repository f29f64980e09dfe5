-- Notes for units of a key that failed before ?3 that it went on without them. Not in steps: until the
-- last of them has its note, a retry of it would go unwarned on top of what its key did since. They
-- are what failed in a row since the key last went on, and each gets its note once.
UPDATE outbox_exception SET overtaken_by = ?3
 WHERE queue = ?1 AND order_key = ?2 AND id < ?3 AND status = 'FAILED' AND overtaken_by IS NULL
   AND outcome IS NULL
