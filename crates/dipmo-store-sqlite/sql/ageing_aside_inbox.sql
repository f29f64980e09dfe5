-- The oldest ?2 messages of status ?1 that left the straight path, by lane, what they wait for and age.
SELECT '', lane, status, held, parked_until IS NOT NULL AND held = 0,
       (?3 - logged_at >= ?4) + (?3 - logged_at >= ?5) + (?3 - logged_at >= ?6) + (?3 - logged_at >= ?7),
       count(*), min(logged_at)
  FROM (SELECT * FROM inbox_exception INDEXED BY ix_inbox_exception_listed
         WHERE status = ?1 AND id > 0 ORDER BY id LIMIT ?2)
 GROUP BY 2, 4, 5, 6
