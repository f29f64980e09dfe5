-- Intents by id, each once however many of its records are read; $2 and $3 are the first and the
-- last of their times, so that other months are not looked into.
with wanted as materialized (select $1::int8[] as ids, $2::timestamptz as first, $3::timestamptz as last)
select o.id, o.cause_id, o.event_version, o.aggregate_type, o.aggregate_id, o.event_type,
    o.reply_process, o.reply_id, o.headers, o.payload, o.created_at, o.caused_at
from wanted w
join outbox_log o on o.id = any (w.ids) and o.created_at >= w.first and o.created_at <= w.last
