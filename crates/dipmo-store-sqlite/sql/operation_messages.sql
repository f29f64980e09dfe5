-- Messages that left the straight path, and how they stand, of those that are wanted.
SELECT e.id, e.status, e.attempts, e.retried, NULL
  FROM inbox_exception e CROSS JOIN inbox_log l ON l.id = e.id
 WHERE e.outcome IS NULL AND {wanted}
 ORDER BY e.id LIMIT ?
