-- Intents by id, each once however many of its records are read.
select o.*
from unnest($1::int8[], $2::timestamptz[]) as u (id, created_at)
cross join lateral (
    select id, cause_id, event_version, aggregate_type, aggregate_id, event_type, reply_process,
        reply_id, headers, payload, created_at
    from outbox_log o where o.id = u.id and o.created_at = u.created_at limit 1) o
