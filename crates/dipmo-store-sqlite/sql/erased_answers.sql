-- The messages that tell what became of the intents ?1.
SELECT m.id
  FROM json_each(?1) i CROSS JOIN outbox_log o ON o.id = i.value
 CROSS JOIN inbox_log m ON m.aggregate_id = o.reply_id
 WHERE m.source_system = 'outcome' AND m.message_id LIKE 'outbox:%'
   AND CAST(substr(m.message_id, 8) AS INTEGER) = o.id
