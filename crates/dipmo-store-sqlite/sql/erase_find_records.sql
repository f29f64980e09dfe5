-- The records of the intents ?1.
SELECT k.id FROM json_each(?1) i CROSS JOIN outbox_record_log k ON k.outbox_id = i.value
