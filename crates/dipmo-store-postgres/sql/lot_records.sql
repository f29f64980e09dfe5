-- Records of a lot with higher ids than $1, and how they ended, as archives have them.
select k.id, json_build_object(
    'id', k.id, 'created_at', dipmo_micros(k.created_at), 'outbox_id', k.outbox_id, 'destination', k.destination,
    'record_key', k.record_key, 'lane', k.lane,
    'done', case when d.ended_at is not null then json_build_object(
        'ended_at', dipmo_micros(d.ended_at), 'outcome', d.outcome, 'external_ref', d.external_ref) end,
    'exception', case when e.id is not null then json_build_object(
        'logged_at', dipmo_micros(e.logged_at), 'ended_at', dipmo_micros(e.ended_at), 'queue', e.queue, 'lane', e.lane,
        'order_key', e.order_key, 'status', e.status, 'outcome', e.outcome, 'attempts', e.attempts,
        'retried', e.retried, 'error_stage', e.error_stage, 'error_code', e.error_code,
        'error_message', e.error_message, 'external_ref', e.external_ref, 'fingerprint', e.fingerprint) end) as line
from outbox_record_aside_{lot} k
left join outbox_exception e on e.id = k.id
left join lateral (
    select x.ended_at, x.outcome, x.refs[array_position(x.ids, k.id)] as external_ref from outbox_done x
    where e.id is null and x.max_id >= k.id and x.min_id <= k.id and k.id = any (x.ids)
    order by x.max_id limit 1) d on true
where k.id > $1 order by k.id limit $2
