-- Those of the entries ?1 that are wanted, in the order of ?1.
SELECT a.id, a.at, a.actor, a.role, a.action, a.target, a.reason, a.detail
  FROM json_each(?1) i CROSS JOIN dipmo_audit a ON a.id = i.value
 WHERE (?2 IS NULL OR a.actor = ?2) AND (?3 IS NULL OR a.action = ?3) AND (?4 IS NULL OR a.target = ?4)
   AND (?5 IS NULL OR a.at >= ?5) AND (?6 IS NULL OR a.at < ?6)
 ORDER BY i.rowid
