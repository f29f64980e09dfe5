-- Notes for messages of a key that failed that a later one, ?2, went on without them: later by the
-- versions of their producer where both have one, else by their ids.
UPDATE inbox_exception SET overtaken_by = ?2
 WHERE queue = '' AND order_key = ?1 AND status = 'FAILED' AND overtaken_by IS NULL AND outcome IS NULL
   AND (SELECT CASE WHEN l.source_system = ?3 AND l.source_version <> ?4
                    THEN l.source_version < ?4 ELSE l.id < ?2 END
          FROM inbox_log l WHERE l.id = inbox_exception.id)
