-- The oldest ?2 messages of lane ?1 that are ready, by age: by now (?3) older than ?4, ?5, ?6 and ?7 microseconds.
-- Differs from PostgreSQL because a ready row does not tell RECEIVED_AT, and a lane is a statement.
SELECT (?3 - at >= ?4) + (?3 - at >= ?5) + (?3 - at >= ?6) + (?3 - at >= ?7), count(*), min(at)
  FROM (SELECT (SELECT received_at FROM inbox_log WHERE id = r.id) AS at FROM inbox_ready r
         WHERE queue = '' AND lane = ?1 ORDER BY chunk, id LIMIT ?2)
 GROUP BY 1
