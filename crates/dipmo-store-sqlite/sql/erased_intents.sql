-- Those of the intents ?1 that are of an aggregate that was erased after they were written, or that a message of one caused.
SELECT o.id
  FROM json_each(?1) i CROSS JOIN outbox_log o ON o.id = i.value
  LEFT JOIN inbox_log m ON m.id = o.cause_id
 WHERE EXISTS (SELECT 1 FROM dipmo_erased e
                WHERE e.aggregate_id IN (o.aggregate_id, m.aggregate_id) AND o.created_at <= e.erased_at)
