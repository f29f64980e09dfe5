-- Jobs: units that a destination takes in bulk and works through by itself. A job holds its lanes until
-- it ends; its units are marked with it. A version that knows nothing of jobs delivers to no destination
-- that has any.
create table outbox_job (
    id          bigint       generated always as identity primary key,
    destination varchar(200) not null,
    phase       varchar(20)  not null default 'SEALED',
    remote_id   varchar(255),
    units       integer      not null,
    created_at  timestamptz  not null default now(),
    phase_at    timestamptz  not null default now(),
    ended_at    timestamptz,
    constraint ck_outbox_job_phase check (phase in ('SEALED', 'MADE', 'GIVEN', 'ENDED')),
    constraint ck_outbox_job_ended check ((phase = 'ENDED') = (ended_at is not null))
) with (fillfactor = 70);
create index outbox_job_open on outbox_job (destination, id) where ended_at is null;

alter table outbox_lane add column job_id bigint;
alter table outbox_ready add column job_id bigint;
alter table outbox_exception add column job_id bigint;
-- Always null: the rows of both boxes are written by one statement.
alter table inbox_exception add column job_id bigint;

-- Chunks stand by their last units: see job_page.
create index outbox_ready_job on outbox_ready (job_id, (ids[cardinality(ids)])) where job_id is not null;
create index outbox_exception_job on outbox_exception (job_id, id) where job_id is not null;

-- The views of the outbox again, with JOB_ID: the job that a unit is in.
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
       k.created_at, e.outcome, coalesce(e.job_id, r.job_id) as job_id
from outbox_record_log k
left join outbox_exception e on e.id = k.id
left join lateral (
    select x.ended_at, x.refs[array_position(x.ids, k.id)] as external_ref from outbox_done x
    where e.id is null and x.max_id >= k.id and x.min_id <= k.id and k.id = any (x.ids)
    order by x.max_id limit 1) d on true
left join lateral (
    select true as waits, r.job_id from outbox_ready r
    where e.id is null and r.destination = k.destination and r.lane = k.lane and r.id <= k.id
      and k.id = any (r.ids)
    limit 1) r on true
cross join lateral (
    select case
        when e.id is not null then e.status
        when r.waits then 'PENDING'::varchar(20)
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
            when p.failed > 0 and p.failed = p.skipped then 'SKIPPED'::varchar(20) end as outcome,
       coalesce(e.job_id, r.job_id) as job_id
from outbox_log o
left join outbox_exception e on e.id = o.id
left join outbox_progress p on p.outbox_id = o.id
left join lateral (
    select x.ended_at, x.refs[array_position(x.ids, o.id)] as external_ref from outbox_done x
    where e.id is null and p.outbox_id is null
      and x.max_id >= o.id and x.min_id <= o.id and o.id = any (x.ids)
    order by x.max_id limit 1) d on true
left join lateral (
    select true as waits, r.job_id from outbox_ready r
    where e.id is null and p.outbox_id is null and r.destination = o.destination and r.lane = o.lane and r.id <= o.id
      and o.id = any (r.ids)
    limit 1) r on true
cross join lateral (
    select case
        when p.dispatched + p.failed < p.total then 'PENDING'::varchar(20)
        when p.failed > 0 then 'FAILED'::varchar(20)
        when p.outbox_id is not null then 'DISPATCHED'::varchar(20)
        when e.id is not null then e.status
        when r.waits then 'PENDING'::varchar(20)
        else 'DISPATCHED'::varchar(20)
    end as status) s;
