-- What messages said when they came that were edited since, and who edited them last.
create table inbox_edit (
    id         bigint       primary key,
    logged_at  timestamptz  not null,
    payload    json,
    event_type varchar(200),
    edits      integer      not null,
    edited_by  varchar(200) not null,
    edited_at  timestamptz  not null
);
create index inbox_edit_logged_at on inbox_edit (logged_at);
