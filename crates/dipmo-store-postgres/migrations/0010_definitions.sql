-- The definitions of processes that were ever installed, as far as their states go, in the order in
-- which they came: what tells a state that is gone from one of a newer version.

create table dipmo_definition (
    process      varchar(50) not null,
    generation   integer     not null,
    states       text        not null,
    settled      boolean     not null,
    installed_at timestamptz not null default now(),
    primary key (process, generation)
);
