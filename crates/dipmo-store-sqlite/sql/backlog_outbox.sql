-- The same for the outbox, by destination; nothing is ever parked there. A unit is an intent or a
-- record of one; what was given up waits for nobody.
SELECT queue, sum(ready), sum(retrying), sum(held), 0 AS parked, sum(failed), min(oldest)
  FROM (SELECT queue, ready, 0 AS retrying, 0 AS held, 0 AS failed,
               coalesce((SELECT created_at FROM outbox_log WHERE id = first),
                        (SELECT created_at FROM outbox_record_log WHERE id = first)) AS oldest
          FROM (SELECT queue, count(*) AS ready, min(id) AS first FROM outbox_ready GROUP BY queue)
        UNION ALL
        SELECT queue, 0,
               count(*) FILTER (WHERE status = 'PENDING' AND held = 0),
               count(*) FILTER (WHERE status = 'PENDING' AND held = 1),
               count(*) FILTER (WHERE status = 'FAILED'),
               min(logged_at) FILTER (WHERE next_attempt_at <= ?1)
          FROM outbox_exception INDEXED BY ix_outbox_exception_open
         WHERE status IN ('PENDING', 'FAILED') AND outcome IS NULL GROUP BY queue)
 GROUP BY queue
