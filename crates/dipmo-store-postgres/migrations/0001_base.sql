-- What all the rest stands on.

-- Raises what a statement found wrong, so that a whole batch and its COMMIT can be sent at once.
create function dipmo_assert(holds boolean, kind text, what text) returns void
language plpgsql as $$
begin
    if holds is not true then
        raise exception using errcode = 'DP001', message = kind, detail = what;
    end if;
end $$;

create table dipmo_setting (
    name  varchar(50) primary key,
    value text not null
);
