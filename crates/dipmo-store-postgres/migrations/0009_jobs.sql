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
