-- What waits in the inbox, under one word each, and when the oldest came that could be worked on now
-- (?1): of those that are ready, the one with the lowest id. What has ended is passed over by the
-- index on STATUS.
-- Differs from PostgreSQL because a ready row does not tell RECEIVED_AT: it is looked up, once.
SELECT queue, sum(ready), sum(retrying), sum(held), sum(parked), sum(failed), min(oldest)
  FROM (SELECT queue, ready, 0 AS retrying, 0 AS held, 0 AS parked, 0 AS failed,
               (SELECT received_at FROM inbox_log WHERE id = first) AS oldest
          FROM (SELECT queue, count(*) AS ready, min(id) AS first FROM inbox_ready GROUP BY queue)
        UNION ALL
        SELECT queue, 0,
               count(*) FILTER (WHERE status IN ('RECEIVED', 'RETRY') AND held = 0 AND parked_until IS NULL),
               count(*) FILTER (WHERE status IN ('RECEIVED', 'RETRY') AND held = 1),
               count(*) FILTER (WHERE status IN ('RECEIVED', 'RETRY') AND held = 0 AND parked_until IS NOT NULL),
               count(*) FILTER (WHERE status IN ('FAILED', 'SERDE_ERROR')),
               min(logged_at) FILTER (WHERE next_attempt_at <= ?1)
          FROM inbox_exception INDEXED BY IX_INBOX_STATUS_DUE
         WHERE status IN ('RECEIVED', 'RETRY', 'FAILED', 'SERDE_ERROR') GROUP BY queue)
 GROUP BY queue
