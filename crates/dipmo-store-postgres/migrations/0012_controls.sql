-- What operators hold back or steer. Every instance reads all of it again and again; there are few rows. A version
-- leaves alone what it does not know: kinds and settings are for later versions to add.
create table dipmo_control (
    kind    varchar(20)   not null,
    name    varchar(200)  not null,
    setting varchar(20)   not null,
    value   bigint,
    actor   varchar(200)  not null,
    reason  varchar(2000) not null,
    since   timestamptz   not null default now(),
    primary key (kind, name, setting)
);
