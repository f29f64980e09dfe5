-- Timers of processes, until they are due.

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
