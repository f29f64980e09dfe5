-- Leases the duty $1 to $2, if nobody has it. Whoever does something under it right now has it locked.
insert into dipmo_duty as d (name, owner, epoch, lease_until)
values ($1::varchar, $2::varchar, 1, now() + $3::int8 * interval '1 microsecond')
on conflict (name) do update set owner = excluded.owner, epoch = d.epoch + 1, lease_until = excluded.lease_until
where d.lease_until is null or d.lease_until <= now()
returning d.epoch
