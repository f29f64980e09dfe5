-- The same for the units of a destination (?8) that are ready.
SELECT (?3 - at >= ?4) + (?3 - at >= ?5) + (?3 - at >= ?6) + (?3 - at >= ?7), count(*), min(at)
  FROM (SELECT coalesce((SELECT created_at FROM outbox_log WHERE id = r.id),
                        (SELECT created_at FROM outbox_record_log WHERE id = r.id)) AS at
          FROM outbox_ready r WHERE queue = ?8 AND lane = ?1 ORDER BY chunk, id LIMIT ?2)
 GROUP BY 1
