-- The inbox. A message is written once, into a log that is partitioned by month. What moves lives
-- beside it in small tables: ready (not tried yet, one row for a batch and lane), exception (left the
-- straight path) and done (ended at the first attempt, one row for a batch).

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
    content            bigint       not null,
    received_at        timestamptz  not null default now(),
    offset_num         bigint       not null,
    partition_num      integer      not null,
    source_system      varchar(100) not null,
    message_id         varchar(200) not null,
    topic              varchar(200) not null,
    payload            json,
    raw_payload_base64 text,
    unique (source_system, message_id, content)
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
