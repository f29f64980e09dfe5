-- An instance is there.
insert into dipmo_instance as i (name, version, roles, report)
values ($1::varchar, $2::varchar, $3::varchar, $4::json)
on conflict (name) do update set
    version = excluded.version, roles = excluded.roles, report = excluded.report, seen_at = now()
