-- Since when dedupe ids are complete; it never moves back. The value is in microseconds.
insert into dipmo_setting as s (name, value) values ('dedupe_horizon', $1)
on conflict (name) do update set value = greatest(s.value::int8, excluded.value::int8)::text
