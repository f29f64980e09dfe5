-- The first message in order with one, later than ?1, that was processed: of the same aggregate, or
-- without one and of the same key. Each has an index of its own.
SELECT min(f.id)
  FROM (SELECT l.id FROM inbox_log l WHERE l.aggregate_id = ?2 AND l.id > ?1
        UNION ALL
        SELECT l.id FROM inbox_log l
         WHERE l.aggregate_id IS NULL AND l.key_str = ?3
           AND json_extract(l.originals, '$.keyBase64') IS ?4 AND l.id > ?1) f
  LEFT JOIN inbox_exception e ON e.id = f.id
  LEFT JOIN inbox_done d ON d.id = f.id
 WHERE coalesce(e.outcome, d.outcome) NOT IN ('SKIPPED', 'IGNORED')
