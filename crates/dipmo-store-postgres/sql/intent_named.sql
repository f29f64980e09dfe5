-- An intent.
select o.id, o.created_at from outbox_log o where o.id = {key}::int8
