-- The inbox, the outbox and what lies between them.
--
-- A message or an intent is written once, into a log that is partitioned by month. What moves lives
-- beside it in small tables: ready (not tried yet, one row for a batch and lane), exception (left
-- the straight path) and done (ended at the first attempt, one row for a batch). INBOX, OUTBOX and
-- OUTBOX_RECORD are views over these parts.

-- Raises what a statement found wrong, so that a whole batch and its COMMIT can be sent at once.
create function dipmo_assert(holds boolean, kind text, what text) returns void
language plpgsql as $$
begin
    if holds is not true then
        raise exception using errcode = 'DP001', message = kind, detail = what;
    end if;
end $$;

create table dipmo_setting (
    name  varchar(50) primary key,
    value text not null
);

-- ---------------------------------------------------------------- inbox

-- One nextval gives a batch its ids: this one and the 999 after it.
create sequence inbox_id increment by 1000;
create sequence internal_offset;

create table inbox_log (
    id                 bigint       not null,
    received_at        timestamptz  not null default now(),
    offset_num         bigint       not null,
    event_ts           timestamptz,
    source_version     bigint,
    partition_num      integer      not null,
    event_version      integer,
    lane               smallint     not null,
    message_id         varchar(200) not null,
    source_system      varchar(100) not null,
    topic              varchar(200) not null,
    key_str            varchar(4000),
    aggregate_id       varchar(200),
    event_type         varchar(200),
    headers            json,
    payload            json,
    raw_payload_base64 text,
    originals          json,
    primary key (id, received_at),
    constraint ck_inbox_payload_or_raw check (payload is not null or raw_payload_base64 is not null)
) partition by range (received_at);
create index ix_inbox_agg on inbox_log (aggregate_id);
create index ix_inbox_received_at on inbox_log using brin (received_at);
-- Unsettled messages of dropped months are carried here, under their own RECEIVED_AT; and a month
-- that nobody prepared loses nothing.
create table inbox_log_rest partition of inbox_log default;

-- Dedupe outlives the log, and a unique key of a partitioned table would have to hold RECEIVED_AT:
-- so UX_INBOX_DEDUPE is here, on 128 bits of (SOURCE_SYSTEM, MESSAGE_ID).
create table inbox_dedupe (
    key         uuid        not null,
    content     bigint      not null,
    inbox_id    bigint      not null,
    received_at timestamptz not null default now(),
    constraint ux_inbox_dedupe primary key (key)
);
create index inbox_dedupe_received_at on inbox_dedupe using brin (received_at);

create table inbox_incident (
    inbox_id           bigint       not null,
    received_at        timestamptz  not null default now(),
    offset_num         bigint       not null,
    partition_num      integer      not null,
    source_system      varchar(100) not null,
    message_id         varchar(200) not null,
    topic              varchar(200) not null,
    payload            json,
    raw_payload_base64 text
);
create index inbox_incident_received_at on inbox_incident (received_at);

create table inbox_offset (
    consumer_group varchar(255) not null,
    topic          varchar(249) not null,
    partition_num  integer      not null,
    topic_id       uuid,
    next_offset    bigint       not null,
    updated_at     timestamptz  not null default now(),
    primary key (consumer_group, topic, partition_num)
) with (fillfactor = 70);

create table inbox_lane (lane smallint primary key) with (fillfactor = 50);
insert into inbox_lane select generate_series(0, 63);

create table inbox_ready (
    id        bigint      not null,
    logged_at timestamptz not null,
    lane      smallint    not null,
    ids       bigint[]    not null,
    primary key (lane, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = off);

create table inbox_exception (
    id              bigint       primary key,
    logged_at       timestamptz  not null,
    next_attempt_at timestamptz,
    ended_at        timestamptz,
    parked_until    timestamptz,
    attempts        integer      not null default 0,
    lane            smallint     not null,
    held            boolean      not null default false,
    queue           varchar(200) not null default '',
    order_key       varchar(200),
    status          varchar(20)  not null default 'RECEIVED',
    outcome         varchar(20),
    error_stage     varchar(50),
    error_code      varchar(200),
    error_message   varchar(2000),
    external_ref    varchar(255),
    constraint ck_inbox_status
        check (status in ('RECEIVED', 'RETRY', 'FAILED', 'PROCESSED', 'SERDE_ERROR'))
) with (fillfactor = 70);
create index ix_inbox_status_due on inbox_exception (status, next_attempt_at);
create index inbox_exception_due on inbox_exception (lane, next_attempt_at, id) where next_attempt_at is not null;
create index inbox_exception_held on inbox_exception (queue, order_key, id) where held;
create index inbox_exception_parked on inbox_exception (order_key) where parked_until is not null;

create table inbox_block (
    queue       varchar(200) not null default '',
    order_key   varchar(200) not null,
    head_id     bigint       not null,
    released_to bigint,
    lane        smallint     not null,
    primary key (queue, order_key)
) with (fillfactor = 70);
create index inbox_block_ended on inbox_block (queue, lane) where released_to is not null;

create table inbox_done (
    min_id   bigint      not null,
    max_id   bigint      not null,
    ended_at timestamptz not null default now(),
    outcome  varchar(20) not null,
    ids      bigint[]    not null,
    refs     varchar(255)[]
);
create index inbox_done_max_id on inbox_done (max_id);
create index inbox_done_ended_at on inbox_done using brin (ended_at);

-- ---------------------------------------------------------------- outbox

-- Intents and the records of intents share it, so that they can be ordered among each other.
create sequence outbox_id increment by 1000;

create table outbox_log (
    id             bigint       not null,
    created_at     timestamptz  not null default now(),
    cause_id       bigint,
    event_version  integer      not null default 1,
    lane           smallint     not null,
    aggregate_type varchar(50)  not null,
    aggregate_id   varchar(200) not null,
    event_type     varchar(200) not null,
    destination    varchar(200) not null,
    reply_process  varchar(200),
    reply_id       varchar(200),
    headers        json,
    payload        json         not null,
    primary key (id, created_at)
) partition by range (created_at);
create index ix_outbox_agg on outbox_log (aggregate_type, aggregate_id);
create table outbox_log_rest partition of outbox_log default;

create table outbox_record_log (
    id          bigint       not null,
    created_at  timestamptz  not null default now(),
    outbox_id   bigint       not null,
    lane        smallint     not null,
    destination varchar(200) not null,
    record_key  varchar(255) not null,
    primary key (id, created_at)
) partition by range (created_at);
create index outbox_record_log_outbox_id on outbox_record_log (outbox_id);
create table outbox_record_log_rest partition of outbox_record_log default;

create table outbox_progress (
    outbox_id  bigint  primary key,
    total      integer not null,
    dispatched integer not null default 0,
    failed     integer not null default 0
) with (fillfactor = 50);

create table outbox_lane (
    destination varchar(200) not null,
    lane        smallint     not null,
    owner       varchar(200),
    epoch       bigint       not null default 0,
    lease_until timestamptz,
    primary key (destination, lane)
) with (fillfactor = 50);

create table outbox_ready (
    id          bigint       not null,
    logged_at   timestamptz  not null,
    lane        smallint     not null,
    records     boolean      not null,
    destination varchar(200) not null,
    ids         bigint[]     not null,
    primary key (destination, lane, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = off);

create table outbox_exception (
    id              bigint       primary key,
    logged_at       timestamptz  not null,
    next_attempt_at timestamptz,
    ended_at        timestamptz,
    parked_until    timestamptz,
    attempts        integer      not null default 0,
    lane            smallint     not null,
    held            boolean      not null default false,
    queue           varchar(200) not null,
    order_key       varchar(200),
    status          varchar(20)  not null default 'PENDING',
    outcome         varchar(20),
    error_stage     varchar(50),
    error_code      varchar(200),
    error_message   varchar(2000),
    external_ref    varchar(255),
    constraint ck_outbox_status check (status in ('PENDING', 'DISPATCHED', 'FAILED'))
) with (fillfactor = 70);
create index ix_outbox_pending on outbox_exception (status, next_attempt_at);
create index outbox_exception_due on outbox_exception (queue, lane, next_attempt_at, id) where next_attempt_at is not null;
create index outbox_exception_held on outbox_exception (queue, order_key, id) where held;

create table outbox_block (
    queue       varchar(200) not null,
    order_key   varchar(200) not null,
    head_id     bigint       not null,
    released_to bigint,
    lane        smallint     not null,
    primary key (queue, order_key)
) with (fillfactor = 70);
create index outbox_block_ended on outbox_block (queue, lane) where released_to is not null;

create table outbox_done (
    min_id   bigint      not null,
    max_id   bigint      not null,
    ended_at timestamptz not null default now(),
    outcome  varchar(20) not null,
    ids      bigint[]    not null,
    refs     varchar(255)[]
);
create index outbox_done_max_id on outbox_done (max_id);
create index outbox_done_ended_at on outbox_done using brin (ended_at);

-- ---------------------------------------------------------------- timers

create table process_timer (
    process      varchar(50)  not null,
    instance_id  varchar(200) not null,
    name         varchar(100) not null,
    due_at       timestamptz  not null,
    aggregate_id varchar(200) not null,
    event_type   varchar(200) not null,
    payload      json         not null,
    primary key (process, instance_id, name)
);
create index process_timer_due on process_timer (due_at);

-- ---------------------------------------------------------------- the relations of the seeds

create view inbox as
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
           (select b.head_id from inbox_block b where b.queue = e.queue and b.order_key = e.order_key)
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

create view outbox_record as
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
       k.created_at
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

create view outbox as
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
       p.total as records, p.dispatched as records_dispatched, p.failed as records_failed
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

-- The minimal variants of the seeds, to read by; see docs/stores/postgres.md for why they are not
-- a second way to store.
create view inbox_min as
select id, message_id, source_system, payload, raw_payload_base64, status, next_attempt_at, attempts
from inbox;
create view outbox_min as
select id, destination, payload, status, next_attempt_at, attempts from outbox;
