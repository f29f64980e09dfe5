-- The same for ?2 units of a destination (?1); what was given up waits for nobody.
SELECT queue, lane, status, held, 0,
       (?3 - logged_at >= ?4) + (?3 - logged_at >= ?5) + (?3 - logged_at >= ?6) + (?3 - logged_at >= ?7),
       count(*), min(logged_at)
  FROM (SELECT * FROM outbox_exception INDEXED BY ix_outbox_exception_open
         WHERE queue = ?1 AND status IN ('PENDING', 'FAILED') AND outcome IS NULL LIMIT ?2)
 GROUP BY 2, 3, 4, 6
