-- What was promised, and how often it was kept, by the hour. All instances add to the same few rows.
create table dipmo_slo (
    hour  timestamptz not null,
    name  varchar(50) not null,
    good  bigint      not null,
    total bigint      not null,
    primary key (hour, name)
) with (fillfactor = 50);

-- When the message of an intent was received: a delivery is measured from there. An older version leaves it empty.
alter table outbox_log add column caused_at timestamptz;

-- A lot that is being filled takes whole rows of the log.
do $$
declare
    aside name;
begin
    for aside in
        select 'outbox_aside_' || id from dipmo_lot
        where state = 'FILLING' and to_regclass('outbox_aside_' || id) is not null
    loop
        execute format('alter table %I add column caused_at timestamptz', aside);
    end loop;
end
$$;
