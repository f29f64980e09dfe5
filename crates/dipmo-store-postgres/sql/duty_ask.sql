-- Asks for a duty to be done now.
insert into dipmo_duty as d (name, asked_at) values ($1::varchar, now())
on conflict (name) do update set asked_at = excluded.asked_at
returning d.name, d.owner, d.lease_until, d.asked_at, d.trouble
