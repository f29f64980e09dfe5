-- Puts messages back that are not there, with how they ended, from the lines of an archive.
with x as materialized (
    select * from json_to_recordset($1::json) as x (id int8, message_id varchar, source_system varchar, topic varchar,
        partition_num int4, offset_num int8, key_str varchar, aggregate_id varchar, event_type varchar,
        event_version int4, source_version int8, payload text, headers text, raw_payload_base64 text, event_ts int8,
        received_at int8, originals text, lane int2, done json, exception json)),
fresh as (
    insert into inbox_log (id, message_id, source_system, topic, partition_num, offset_num, key_str, aggregate_id,
        event_type, event_version, source_version, payload, headers, raw_payload_base64, event_ts, received_at,
        originals, lane)
    select x.id, x.message_id, x.source_system, x.topic, x.partition_num, x.offset_num, x.key_str, x.aggregate_id,
        x.event_type, x.event_version, x.source_version, x.payload::json, x.headers::json, x.raw_payload_base64,
        dipmo_time(x.event_ts), dipmo_time(x.received_at), x.originals::json, x.lane
    from x
    on conflict do nothing
    returning id),
excepted as (
    insert into inbox_exception (id, logged_at, ended_at, queue, lane, order_key, status, outcome, attempts, retried,
        error_stage, error_code, error_message, external_ref, fingerprint)
    select x.id, dipmo_time(e.logged_at), dipmo_time(e.ended_at), e.queue, e.lane, e.order_key, e.status, e.outcome,
        e.attempts, e.retried, e.error_stage, e.error_code, e.error_message, e.external_ref, e.fingerprint
    from x cross join lateral json_to_record(x.exception) as e (logged_at int8, ended_at int8, queue varchar, lane int2,
        order_key varchar, status varchar, outcome varchar, attempts int4, retried int4, error_stage varchar,
        error_code varchar, error_message varchar, external_ref varchar, fingerprint int8)
    where x.exception is not null and x.id in (select id from fresh)
    on conflict (id) do nothing),
ended as (
    insert into inbox_done (min_id, max_id, ended_at, outcome, ids, refs)
    select min(x.id), max(x.id), dipmo_time(d.ended_at), d.outcome, array_agg(x.id order by x.id),
        case when count(d.external_ref) > 0 then array_agg(d.external_ref order by x.id) end
    from x cross join lateral json_to_record(x.done) as d (ended_at int8, outcome varchar, external_ref varchar)
    where x.done is not null and x.id in (select id from fresh)
    group by d.ended_at, d.outcome)
select count(*) from fresh
