-- The intents that a message caused.
select o.id, o.created_at from outbox_log o where o.cause_id = {key}::int8
