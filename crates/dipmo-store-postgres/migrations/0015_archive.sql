-- Who does what one instance does for all, and the lots that history is archived in. Nothing of it is on the straight
-- path of a message. The rows of a lot that is on its way stand in tables of its own: INBOX_ASIDE_n, OUTBOX_ASIDE_n and
-- OUTBOX_RECORD_ASIDE_n, which were partitions of the logs.

create table dipmo_duty (
    name        varchar(50) primary key,
    owner       varchar(200),
    epoch       bigint      not null default 0,
    lease_until timestamptz,
    asked_at    timestamptz,
    trouble     varchar(2000)
) with (fillfactor = 50);

create table dipmo_lot (
    id             bigint       generated always as identity primary key,
    side           varchar(10)  not null,
    month          timestamptz  not null,
    state          varchar(20)  not null,
    aside_at       timestamptz  not null default now(),
    archived_at    timestamptz,
    dropped_at     timestamptz,
    directory      varchar(200),
    manifest       varchar(64),
    row_count      bigint,
    record_count   bigint,
    file_count     bigint,
    byte_count     bigint,
    wish           varchar(20),
    hold           bigint,
    checked_at     timestamptz,
    problem        varchar(2000),
    restored_at    timestamptz,
    restored_until timestamptz,
    constraint ck_dipmo_lot_state check (state in ('FILLING', 'ASIDE', 'ARCHIVED', 'DROPPED')),
    constraint ck_dipmo_lot_files check ((directory is not null) = (state in ('ARCHIVED', 'DROPPED')))
) with (fillfactor = 70);
-- One is on its way.
create unique index ux_dipmo_lot_open on dipmo_lot ((true)) where state <> 'DROPPED';
create index dipmo_lot_wish on dipmo_lot (id) where wish is not null;
create index dipmo_lot_restored on dipmo_lot (restored_until) where restored_until is not null;

-- Times as archives have them: microseconds since 1970. There and back is exact for every time that dipmo stores; that
-- is why seconds and the rest of them go each its own way.
create function dipmo_micros(t timestamptz) returns bigint language sql stable as $$
    select (extract(epoch from t) * 1000000)::int8
$$;
create function dipmo_time(micros bigint) returns timestamptz language sql stable as $$
    select timestamptz 'epoch' + (micros / 1000000) * interval '1 second' + (micros % 1000000) * interval '1 microsecond'
$$;
