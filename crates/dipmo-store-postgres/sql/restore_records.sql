-- Puts records of intents back that are not there, with how they ended, from the lines of an archive.
with x as materialized (
    select * from json_to_recordset($1::json) as x (id int8, created_at int8, outbox_id int8, destination varchar,
        record_key varchar, lane int2, done json, exception json)),
fresh as (
    insert into outbox_record_log (id, created_at, outbox_id, destination, record_key, lane)
    select x.id, dipmo_time(x.created_at), x.outbox_id, x.destination, x.record_key, coalesce(x.lane, 0)
    from x
    on conflict do nothing
    returning id),
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
