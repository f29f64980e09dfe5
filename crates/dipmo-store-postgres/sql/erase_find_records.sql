-- The records of intents.
select id from {log} where outbox_id = any ($1::int8[])
