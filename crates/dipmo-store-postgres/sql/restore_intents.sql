-- Puts intents back that are not there, with how they ended, from the lines of an archive. Nothing is read from the lane
-- of what has ended: one that another kind of store wrote down without it has none.
with x as materialized (
    select * from json_to_recordset($1::json) as x (id int8, aggregate_type varchar, aggregate_id varchar,
        event_type varchar, event_version int4, payload text, headers text, destination varchar, created_at int8,
        cause_id int8, reply_process varchar, reply_id varchar, lane int2, progress json, done json, exception json)),
fresh as (
    insert into outbox_log (id, aggregate_type, aggregate_id, event_type, event_version, payload, headers, destination,
        created_at, cause_id, reply_process, reply_id, lane)
    select x.id, x.aggregate_type, x.aggregate_id, x.event_type, x.event_version, x.payload::json, x.headers::json,
        x.destination, dipmo_time(x.created_at), x.cause_id, x.reply_process, x.reply_id, coalesce(x.lane, 0)
    from x
    on conflict do nothing
    returning id),
counted as (
    insert into outbox_progress (outbox_id, total, dispatched, failed, retried, skipped)
    select x.id, p.total, p.dispatched, p.failed, p.retried, p.skipped
    from x cross join lateral json_to_record(x.progress) as p (total int4, dispatched int4, failed int4, retried int4,
        skipped int4)
    where x.progress is not null and x.id in (select id from fresh)
    on conflict (outbox_id) do nothing),
excepted as (
    insert into outbox_exception (id, logged_at, ended_at, queue, lane, order_key, status, outcome, attempts, retried,
        error_stage, error_code, error_message, external_ref, fingerprint)
    select x.id, dipmo_time(e.logged_at), dipmo_time(e.ended_at), e.queue, e.lane, e.order_key, e.status, e.outcome,
        e.attempts, e.retried, e.error_stage, e.error_code, e.error_message, e.external_ref, e.fingerprint
    from x cross join lateral json_to_record(x.exception) as e (logged_at int8, ended_at int8, queue varchar, lane int2,
        order_key varchar, status varchar, outcome varchar, attempts int4, retried int4, error_stage varchar,
        error_code varchar, error_message varchar, external_ref varchar, fingerprint int8)
    where x.exception is not null and x.id in (select id from fresh)
    on conflict (id) do nothing),
ended as (
    insert into outbox_done (min_id, max_id, ended_at, outcome, ids, refs)
    select min(x.id), max(x.id), dipmo_time(d.ended_at), d.outcome, array_agg(x.id order by x.id),
        case when count(d.external_ref) > 0 then array_agg(d.external_ref order by x.id) end
    from x cross join lateral json_to_record(x.done) as d (ended_at int8, outcome varchar, external_ref varchar)
    where x.done is not null and x.id in (select id from fresh)
    group by d.ended_at, d.outcome)
select count(*) from fresh
