-- What operators did: how often something that failed was retried, and what was given up.

alter table inbox_exception add column retried integer not null default 0;
alter table outbox_exception add column retried integer not null default 0;
alter table outbox_progress
    add column retried integer not null default 0,
    add column skipped integer not null default 0;

-- The views of the outbox again, with OUTCOME: SKIPPED is what failed and was given up.
create or replace view outbox_record as
select k.id, k.outbox_id, k.destination, k.record_key,
       s.status,
       case when e.id is not null then e.attempts when s.status = 'PENDING' then 0 else 1 end as attempts,
       e.next_attempt_at, e.error_code, e.error_message,
       case when s.status <> 'DISPATCHED' then null
            when e.id is not null then e.ended_at else d.ended_at end as dispatched_at,
       case when e.id is not null then e.external_ref else d.external_ref end as external_ref,
       case when e.held then
           (select b.head_id from outbox_block b where b.queue = e.queue and b.order_key = e.order_key)
       end as held_behind,
       k.created_at, e.outcome
from outbox_record_log k
left join outbox_exception e on e.id = k.id
left join lateral (
    select x.ended_at, x.refs[array_position(x.ids, k.id)] as external_ref from outbox_done x
    where e.id is null and x.max_id >= k.id and x.min_id <= k.id and k.id = any (x.ids)
    order by x.max_id limit 1) d on true
cross join lateral (
    select case
        when e.id is not null then e.status
        when exists (select from outbox_ready r
                     where r.destination = k.destination and r.lane = k.lane and r.id <= k.id
                       and k.id = any (r.ids)) then 'PENDING'::varchar(20)
        else 'DISPATCHED'::varchar(20)
    end as status) s;

create or replace view outbox as
select o.id, o.aggregate_type, o.aggregate_id, o.event_type, o.event_version, o.payload, o.headers,
       o.destination, o.created_at,
       s.status,
       case when p.outbox_id is not null then 0
            when e.id is not null then e.attempts
            when s.status = 'PENDING' then 0 else 1 end as attempts,
       e.next_attempt_at, e.error_code, e.error_message,
       case when s.status <> 'DISPATCHED' then null
            when e.id is not null then e.ended_at else d.ended_at end as dispatched_at,
       case when e.id is not null then e.external_ref else d.external_ref end as external_ref,
       case when e.held then
           (select b.head_id from outbox_block b where b.queue = e.queue and b.order_key = e.order_key)
       end as held_behind,
       o.cause_id, o.reply_process, o.reply_id,
       p.total as records, p.dispatched as records_dispatched, p.failed as records_failed,
       case when p.outbox_id is null then e.outcome
            when p.failed > 0 and p.failed = p.skipped then 'SKIPPED'::varchar(20) end as outcome
from outbox_log o
left join outbox_exception e on e.id = o.id
left join outbox_progress p on p.outbox_id = o.id
left join lateral (
    select x.ended_at, x.refs[array_position(x.ids, o.id)] as external_ref from outbox_done x
    where e.id is null and p.outbox_id is null
      and x.max_id >= o.id and x.min_id <= o.id and o.id = any (x.ids)
    order by x.max_id limit 1) d on true
cross join lateral (
    select case
        when p.dispatched + p.failed < p.total then 'PENDING'::varchar(20)
        when p.failed > 0 then 'FAILED'::varchar(20)
        when p.outbox_id is not null then 'DISPATCHED'::varchar(20)
        when e.id is not null then e.status
        when exists (select from outbox_ready r
                     where r.destination = o.destination and r.lane = o.lane and r.id <= o.id
                       and o.id = any (r.ids)) then 'PENDING'::varchar(20)
        else 'DISPATCHED'::varchar(20)
    end as status) s;

-- INBOX again: a message that cannot be decoded may stand in line as the head of it, and waits for
-- nobody then.
create or replace view inbox as
select m.id, m.message_id, m.source_system, m.topic, m.partition_num, m.offset_num, m.key_str,
       m.aggregate_id, m.event_type, m.payload, m.headers, m.raw_payload_base64, m.event_ts,
       m.received_at,
       s.status,
       case when e.id is not null then e.attempts when s.status = 'RECEIVED' then 0 else 1 end as attempts,
       e.next_attempt_at,
       case when s.status <> 'PROCESSED' then null
            when e.id is not null then e.ended_at
            else (select d.ended_at from inbox_done d
                  where d.max_id >= m.id and d.min_id <= m.id and m.id = any (d.ids)
                  order by d.max_id limit 1)
       end as processed_at,
       e.error_code, e.error_message, e.error_stage,
       case when s.status <> 'PROCESSED' then null
            when e.id is not null then e.outcome
            else (select d.outcome from inbox_done d
                  where d.max_id >= m.id and d.min_id <= m.id and m.id = any (d.ids)
                  order by d.max_id limit 1)
       end as outcome,
       case when e.held then
           (select b.head_id from inbox_block b
            where b.queue = e.queue and b.order_key = e.order_key and b.head_id <> e.id)
       end as held_behind,
       m.lane, m.event_version, m.source_version, m.originals
from inbox_log m
left join inbox_exception e on e.id = m.id
cross join lateral (
    select case
        when e.id is not null then e.status
        when exists (select from inbox_ready r
                     where r.lane = m.lane and r.id <= m.id and m.id = any (r.ids)) then 'RECEIVED'::varchar(20)
        else 'PROCESSED'::varchar(20)
    end as status) s;
