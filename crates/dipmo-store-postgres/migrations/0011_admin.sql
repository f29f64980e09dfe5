-- What operators need beside the messages: groups of failures, operations, the audit, tokens, instances.
-- Nothing of it is on the straight path of a message.

-- Lists by status, and by the group of the last failure, and when that was.
alter table inbox_exception add column fingerprint bigint, add column failed_at timestamptz;
alter table outbox_exception add column fingerprint bigint, add column failed_at timestamptz;
-- Every id is above 0, but only lists say so: no batch is ever planned by an index that was made for them.
create index inbox_exception_listed on inbox_exception (status, id) where id > 0;
create index outbox_exception_listed on outbox_exception (status, id) where id > 0;
create index inbox_exception_fingerprint on inbox_exception (fingerprint, id) where fingerprint is not null;
create index outbox_exception_fingerprint on outbox_exception (fingerprint, id) where fingerprint is not null;
-- What failed before there were groups, or while an older version is still at work: fold_failures names it.
create index inbox_exception_unnamed on inbox_exception (id)
    where fingerprint is null and error_code is not null and outcome is null and status not in ('PROCESSED', 'DISPATCHED');
create index outbox_exception_unnamed on outbox_exception (id)
    where fingerprint is null and error_code is not null and outcome is null and status not in ('PROCESSED', 'DISPATCHED');

-- What a message caused. Intents are written about in the order of the messages that cause them, so an index of
-- ranges finds them; one of rows would cost every intent. Ranges are so large that the server keeps up with
-- summarising them: what is not summarised is read whole.
create index outbox_log_cause on outbox_log
    using brin (cause_id int8_minmax_multi_ops) with (pages_per_range = 128, autosummarize = on);

-- The views again, for lists. What is ready is looked for from a message or unit downwards: its chunk is the first
-- that is met, however long the queue before it; and below what has ended hardly anything is ready, because a lane is
-- worked off in order. What only single rows need is looked for where a row is shown, and not where one is passed
-- over. HELD, PARKED_UNTIL and FINGERPRINT are new.
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
       m.lane, m.event_version, m.source_version, m.originals, e.held, e.parked_until, e.fingerprint
from inbox_log m
left join inbox_exception e on e.id = m.id
cross join lateral (
    select case
        when e.id is not null then e.status
        when (select true from inbox_ready r
              where r.lane = m.lane and r.id <= m.id and m.id = any (r.ids)
              order by r.id desc limit 1) then 'RECEIVED'::varchar(20)
        else 'PROCESSED'::varchar(20)
    end as status) s;

create or replace view outbox_record as
select k.id, k.outbox_id, k.destination, k.record_key,
       s.status,
       case when e.id is not null then e.attempts when s.status = 'PENDING' then 0 else 1 end as attempts,
       e.next_attempt_at, e.error_code, e.error_message,
       case when s.status <> 'DISPATCHED' then null
            when e.id is not null then e.ended_at
            else (select d.ended_at from outbox_done d
                  where d.max_id >= k.id and d.min_id <= k.id and k.id = any (d.ids)
                  order by d.max_id limit 1)
       end as dispatched_at,
       (case when e.id is not null then e.external_ref
            when s.status = 'DISPATCHED' then
                (select d.refs[array_position(d.ids, k.id)] from outbox_done d
                 where d.max_id >= k.id and d.min_id <= k.id and k.id = any (d.ids)
                 order by d.max_id limit 1)
       end)::varchar(255) as external_ref,
       case when e.held then
           (select b.head_id from outbox_block b where b.queue = e.queue and b.order_key = e.order_key)
       end as held_behind,
       k.created_at, e.outcome,
       case when e.id is not null then e.job_id
            else (select r.job_id from outbox_ready r
                  where r.destination = k.destination and r.lane = k.lane and r.id <= k.id and k.id = any (r.ids)
                  order by r.id desc limit 1)
       end as job_id,
       e.held, e.fingerprint
from outbox_record_log k
left join outbox_exception e on e.id = k.id
cross join lateral (
    select case
        when e.id is not null then e.status
        when (select true from outbox_ready r
              where r.destination = k.destination and r.lane = k.lane and r.id <= k.id and k.id = any (r.ids)
              order by r.id desc limit 1) then 'PENDING'::varchar(20)
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
            when e.id is not null then e.ended_at
            when p.outbox_id is null then
                (select d.ended_at from outbox_done d
                 where d.max_id >= o.id and d.min_id <= o.id and o.id = any (d.ids)
                 order by d.max_id limit 1)
       end as dispatched_at,
       (case when e.id is not null then e.external_ref
            when p.outbox_id is null and s.status = 'DISPATCHED' then
                (select d.refs[array_position(d.ids, o.id)] from outbox_done d
                 where d.max_id >= o.id and d.min_id <= o.id and o.id = any (d.ids)
                 order by d.max_id limit 1)
       end)::varchar(255) as external_ref,
       case when e.held then
           (select b.head_id from outbox_block b where b.queue = e.queue and b.order_key = e.order_key)
       end as held_behind,
       o.cause_id, o.reply_process, o.reply_id,
       p.total as records, p.dispatched as records_dispatched, p.failed as records_failed,
       case when p.outbox_id is null then e.outcome
            when p.failed > 0 and p.failed = p.skipped then 'SKIPPED'::varchar(20) end as outcome,
       case when e.id is not null then e.job_id
            when p.outbox_id is null then
                (select r.job_id from outbox_ready r
                 where r.destination = o.destination and r.lane = o.lane and r.id <= o.id and o.id = any (r.ids)
                 order by r.id desc limit 1)
       end as job_id,
       e.held, e.fingerprint
from outbox_log o
left join outbox_exception e on e.id = o.id
left join outbox_progress p on p.outbox_id = o.id
cross join lateral (
    select case
        when p.dispatched + p.failed < p.total then 'PENDING'::varchar(20)
        when p.failed > 0 then 'FAILED'::varchar(20)
        when p.outbox_id is not null then 'DISPATCHED'::varchar(20)
        when e.id is not null then e.status
        when (select true from outbox_ready r
              where r.destination = o.destination and r.lane = o.lane and r.id <= o.id and o.id = any (r.ids)
              order by r.id desc limit 1) then 'PENDING'::varchar(20)
        else 'DISPATCHED'::varchar(20)
    end as status) s;

create table dipmo_failure_group (
    fingerprint bigint       primary key,
    side        varchar(10)  not null,
    stage       varchar(50),
    code        varchar(200) not null,
    pattern     varchar(500) not null,
    failed      bigint       not null default 0,
    retrying    bigint       not null default 0,
    first_seen  timestamptz  not null default now(),
    last_seen   timestamptz  not null default now(),
    sample_id   bigint       not null
) with (fillfactor = 50);

-- Changes of the counts that are not yet put together. Whoever settles a batch adds rows here instead of
-- changing the row of a group, which all lanes would have to wait for.
create table dipmo_failure_note (
    id          bigint      generated always as identity primary key,
    fingerprint bigint      not null,
    failed      integer     not null,
    retrying    integer     not null,
    sample_id   bigint,
    noted_at    timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = off);

-- How a row counts in its group: 1 as failed, 2 as retrying, 0 not at all.
create function dipmo_failure_counts(status varchar, outcome varchar, fingerprint bigint) returns integer
language sql immutable as $$
    select case when fingerprint is null or outcome is not null or status in ('PROCESSED', 'DISPATCHED') then 0
                when status in ('FAILED', 'SERDE_ERROR') then 1
                else 2 end
$$;

-- Notes what a statement changed of the counts, and the last that failed in this transaction. Most statements
-- touch nothing that failed, and leave at once: also those of an older version, whose login may have no right
-- on the notes yet. Rows are never joined: sessions that do so have no hash join.
create function dipmo_note_failures() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        if not exists (select from fresh where fingerprint is not null) then
            return null;
        end if;
        insert into dipmo_failure_note (fingerprint, failed, retrying, sample_id)
        select n.fingerprint, count(*) filter (where c.counts = 1), count(*) filter (where c.counts = 2), max(n.id)
        from fresh n
        cross join lateral (select dipmo_failure_counts(n.status, n.outcome, n.fingerprint) as counts) c
        where c.counts > 0 group by n.fingerprint;
    elsif tg_op = 'DELETE' then
        if not exists (select from stale where fingerprint is not null) then
            return null;
        end if;
        insert into dipmo_failure_note (fingerprint, failed, retrying)
        select o.fingerprint, -count(*) filter (where c.counts = 1), -count(*) filter (where c.counts = 2)
        from stale o
        cross join lateral (select dipmo_failure_counts(o.status, o.outcome, o.fingerprint) as counts) c
        where c.counts > 0 group by o.fingerprint;
    elsif exists (select from fresh where fingerprint is not null)
       or exists (select from stale where fingerprint is not null) then
        insert into dipmo_failure_note (fingerprint, failed, retrying, sample_id)
        select x.fingerprint, sum(x.sign * (x.counts = 1)::int4), sum(x.sign * (x.counts = 2)::int4), max(x.sample_id)
        from (
            select n.fingerprint, 1 as sign, dipmo_failure_counts(n.status, n.outcome, n.fingerprint) as counts,
                case when n.failed_at = now() then n.id end as sample_id
            from fresh n
            union all
            select o.fingerprint, -1, dipmo_failure_counts(o.status, o.outcome, o.fingerprint), null
            from stale o) x
        where x.counts > 0
        group by x.fingerprint
        having sum(x.sign * (x.counts = 1)::int4) <> 0 or sum(x.sign * (x.counts = 2)::int4) <> 0
            or max(x.sample_id) is not null;
    end if;
    return null;
end $$;

create trigger inbox_failures_come after insert on inbox_exception
    referencing new table as fresh for each statement execute function dipmo_note_failures();
create trigger inbox_failures_move after update on inbox_exception
    referencing old table as stale new table as fresh for each statement execute function dipmo_note_failures();
create trigger inbox_failures_go after delete on inbox_exception
    referencing old table as stale for each statement execute function dipmo_note_failures();
create trigger outbox_failures_come after insert on outbox_exception
    referencing new table as fresh for each statement execute function dipmo_note_failures();
create trigger outbox_failures_move after update on outbox_exception
    referencing old table as stale new table as fresh for each statement execute function dipmo_note_failures();
create trigger outbox_failures_go after delete on outbox_exception
    referencing old table as stale for each statement execute function dipmo_note_failures();

create table dipmo_operation (
    id          bigint        generated always as identity primary key,
    act         varchar(20)   not null,
    side        varchar(10)   not null,
    forced      boolean       not null,
    per_second  integer,
    actor       varchar(200)  not null,
    reason      varchar(2000) not null,
    created_at  timestamptz   not null default now(),
    ended_at    timestamptz,
    state       varchar(20)   not null default 'RUNNING',
    items       bigint        not null,
    met         bigint        not null default 0,
    done        bigint        not null default 0,
    owner       varchar(200),
    epoch       bigint        not null default 0,
    lease_until timestamptz,
    constraint ck_dipmo_operation_state check (state in ('RUNNING', 'PAUSED', 'CANCELLED', 'ENDED')),
    constraint ck_dipmo_operation_ended check ((ended_at is not null) = (state in ('CANCELLED', 'ENDED')))
) with (fillfactor = 50);
create index dipmo_operation_running on dipmo_operation (id) where state = 'RUNNING';

-- What an operation is about, each as it stood when the operation began.
create table dipmo_operation_item (
    operation_id bigint      not null,
    id           bigint      not null,
    status       varchar(20),
    attempts     integer,
    retried      integer,
    result       varchar(20),
    primary key (operation_id, id)
) with (fillfactor = 70);
create index dipmo_operation_item_open on dipmo_operation_item (operation_id, id) where result is null;

create table dipmo_audit (
    id     bigint        generated always as identity primary key,
    at     timestamptz   not null default now(),
    actor  varchar(200)  not null,
    role   varchar(20)   not null,
    action varchar(100)  not null,
    target varchar(400)  not null,
    reason varchar(2000) not null,
    detail json          not null
);

create function dipmo_refuse_change() returns trigger language plpgsql as $$
begin
    raise exception 'the audit is only ever added to' using errcode = 'insufficient_privilege';
end $$;
create trigger dipmo_audit_append_only before update or delete or truncate on dipmo_audit
    for each statement execute function dipmo_refuse_change();

create table dipmo_token (
    id         bigint       generated always as identity primary key,
    name       varchar(200) not null,
    role       varchar(20)  not null,
    hash       bytea        not null,
    created_at timestamptz  not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    constraint ux_dipmo_token_hash unique (hash)
);
create unique index ux_dipmo_token_name on dipmo_token (name) where revoked_at is null;

create table dipmo_instance (
    name       varchar(200) primary key,
    version    varchar(50)  not null,
    roles      varchar(100) not null,
    report     json         not null,
    started_at timestamptz  not null default now(),
    seen_at    timestamptz  not null default now()
) with (fillfactor = 50);
