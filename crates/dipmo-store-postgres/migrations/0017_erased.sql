-- Aggregates of which everything was blanked, so that what is restored from archives later is blanked as well.
create table dipmo_erased (
    aggregate_id varchar(200) primary key,
    erased_at    timestamptz  not null default now(),
    actor        varchar(200) not null
);

-- Whom a message was about that came with the id of another one: that one may be of another aggregate, or forgotten.
alter table inbox_incident add column aggregate_id varchar(200);
