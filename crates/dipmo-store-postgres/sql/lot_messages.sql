-- Messages of a lot with higher ids than $1, and how they ended, as archives have them.
select m.id, json_build_object(
    'id', m.id, 'message_id', m.message_id, 'source_system', m.source_system, 'topic', m.topic,
    'partition_num', m.partition_num, 'offset_num', m.offset_num, 'key_str', m.key_str,
    'aggregate_id', m.aggregate_id, 'event_type', m.event_type, 'event_version', m.event_version,
    'source_version', m.source_version, 'payload', m.payload::text, 'headers', m.headers::text,
    'raw_payload_base64', m.raw_payload_base64, 'event_ts', dipmo_micros(m.event_ts),
    'received_at', dipmo_micros(m.received_at), 'originals', m.originals::text, 'lane', m.lane,
    'done', case when d.ended_at is not null then json_build_object(
        'ended_at', dipmo_micros(d.ended_at), 'outcome', d.outcome, 'external_ref', d.external_ref) end,
    'exception', case when e.id is not null then json_build_object(
        'logged_at', dipmo_micros(e.logged_at), 'ended_at', dipmo_micros(e.ended_at), 'queue', e.queue, 'lane', e.lane,
        'order_key', e.order_key, 'status', e.status, 'outcome', e.outcome, 'attempts', e.attempts,
        'retried', e.retried, 'error_stage', e.error_stage, 'error_code', e.error_code,
        'error_message', e.error_message, 'external_ref', e.external_ref, 'fingerprint', e.fingerprint) end) as line
from inbox_aside_{lot} m
left join inbox_exception e on e.id = m.id
left join lateral (
    select x.ended_at, x.outcome, x.refs[array_position(x.ids, m.id)] as external_ref from inbox_done x
    where e.id is null and x.max_id >= m.id and x.min_id <= m.id and m.id = any (x.ids)
    order by x.max_id limit 1) d on true
where m.id > $1 order by m.id limit $2
