-- The first messages of aggregates, later than given ones, that were processed.
select u.id, l.later
from unnest($1::int8[], $2::varchar[]) as u (id, aggregate_id)
cross join lateral (
    select min(i.id) as later from inbox i
    where i.aggregate_id = u.aggregate_id and i.id > u.id and i.status = 'PROCESSED'
      and i.outcome not in ('SKIPPED', 'IGNORED')) l
where l.later is not null
