-- Units that left the straight path and were not given up, and how they stand, of those that are wanted.
SELECT e.id, e.status, e.attempts, e.retried, NULL
  FROM outbox_exception e
  LEFT JOIN outbox_record_log k ON k.id = e.id
 CROSS JOIN outbox_log l ON l.id = coalesce(k.outbox_id, e.id)
 WHERE e.outcome IS NULL AND {wanted}
 ORDER BY e.id LIMIT ?
