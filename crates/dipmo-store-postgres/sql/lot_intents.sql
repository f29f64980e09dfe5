-- Intents of a lot with higher ids than $1, and how they ended, as archives have them.
select o.id, json_build_object(
    'id', o.id, 'aggregate_type', o.aggregate_type, 'aggregate_id', o.aggregate_id, 'event_type', o.event_type,
    'event_version', o.event_version, 'payload', o.payload::text, 'headers', o.headers::text,
    'destination', o.destination, 'created_at', dipmo_micros(o.created_at), 'cause_id', o.cause_id,
    'reply_process', o.reply_process, 'reply_id', o.reply_id, 'lane', o.lane,
    'progress', case when p.outbox_id is not null then json_build_object(
        'total', p.total, 'dispatched', p.dispatched, 'failed', p.failed, 'retried', p.retried,
        'skipped', p.skipped) end,
    'done', case when d.ended_at is not null then json_build_object(
        'ended_at', dipmo_micros(d.ended_at), 'outcome', d.outcome, 'external_ref', d.external_ref) end,
    'exception', case when e.id is not null then json_build_object(
        'logged_at', dipmo_micros(e.logged_at), 'ended_at', dipmo_micros(e.ended_at), 'queue', e.queue, 'lane', e.lane,
        'order_key', e.order_key, 'status', e.status, 'outcome', e.outcome, 'attempts', e.attempts,
        'retried', e.retried, 'error_stage', e.error_stage, 'error_code', e.error_code,
        'error_message', e.error_message, 'external_ref', e.external_ref, 'fingerprint', e.fingerprint) end) as line
from outbox_aside_{lot} o
left join outbox_progress p on p.outbox_id = o.id
left join outbox_exception e on e.id = o.id
left join lateral (
    select x.ended_at, x.outcome, x.refs[array_position(x.ids, o.id)] as external_ref from outbox_done x
    where e.id is null and x.max_id >= o.id and x.min_id <= o.id and o.id = any (x.ids)
    order by x.max_id limit 1) d on true
where o.id > $1 order by o.id limit $2
