-- The outbox, in the same shape: see the inbox.

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
