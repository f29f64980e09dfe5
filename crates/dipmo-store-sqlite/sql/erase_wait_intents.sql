-- Those of the intents ?1 that have not ended, by how they stand and where they go.
SELECT s.status, s.destination, count(*), min(s.id)
  FROM (SELECT l.id, l.destination,
               CASE WHEN p.dispatched + p.failed < p.total THEN 'PENDING'
                    WHEN p.failed > p.skipped THEN 'FAILED'
                    WHEN p.outbox_id IS NOT NULL OR d.id IS NOT NULL OR e.outcome IS 'SKIPPED' THEN 'DISPATCHED'
                    ELSE coalesce(e.status, 'PENDING') END AS status
          FROM json_each(?1) i CROSS JOIN outbox_log l ON l.id = i.value
          LEFT JOIN outbox_progress p ON p.outbox_id = l.id
          LEFT JOIN outbox_exception e ON e.id = l.id
          LEFT JOIN outbox_done d ON d.id = l.id) s
 WHERE s.status <> 'DISPATCHED'
 GROUP BY 1, 2
