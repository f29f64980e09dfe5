-- Adds to the current hour. By name, so that two who add at once meet in one order.
insert into dipmo_slo (hour, name, good, total)
select date_trunc('hour', now(), 'UTC'), u.name, u.good, u.total
from unnest($1::varchar[], $2::int8[], $3::int8[]) as u (name, good, total)
order by u.name
on conflict (hour, name) do update
    set good = dipmo_slo.good + excluded.good, total = dipmo_slo.total + excluded.total
