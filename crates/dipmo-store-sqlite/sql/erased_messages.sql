-- Those of the messages ?1 whose aggregate was erased after they came, or that tell what became of an intent that is blank,
-- which ?2 tells.
SELECT m.id
  FROM json_each(?1) i CROSS JOIN inbox_log m ON m.id = i.value
 WHERE EXISTS (SELECT 1 FROM dipmo_erased e WHERE e.aggregate_id = m.aggregate_id AND m.received_at <= e.erased_at)
    OR m.source_system = 'outcome' AND m.message_id LIKE 'outbox:%'
       AND EXISTS (SELECT 1 FROM outbox_log o
                    WHERE o.id = CAST(substr(m.message_id, 8) AS INTEGER) AND o.payload = ?2)
