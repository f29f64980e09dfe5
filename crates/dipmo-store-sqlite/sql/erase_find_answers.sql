-- The messages that told the instances ?1 what became of the intents ?2: they quote why something was not delivered.
SELECT m.id
  FROM json_each(?1) a CROSS JOIN inbox_log m ON m.aggregate_id = a.value
 WHERE m.source_system = 'outcome' AND m.message_id LIKE 'outbox:%'
   AND CAST(substr(m.message_id, 8) AS INTEGER) IN (SELECT value FROM json_each(?2))
