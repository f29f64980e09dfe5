-- The first message of an aggregate, later than ?2, that was processed.
SELECT min(l.id)
  FROM inbox_log l
  LEFT JOIN inbox_exception e ON e.id = l.id
  LEFT JOIN inbox_done d ON d.id = l.id
 WHERE l.aggregate_id = ?1 AND l.id > ?2
   AND coalesce(e.outcome, d.outcome) NOT IN ('SKIPPED', 'IGNORED')
