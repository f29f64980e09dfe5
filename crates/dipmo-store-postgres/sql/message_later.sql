-- The first messages in order with given ones, later than these, that were processed: of the same
-- aggregate, or without one and of the same key. Each has an index of its own.
select u.id, l.later
from unnest($1::int8[], $2::varchar[], $3::varchar[], $4::varchar[])
    as u (id, aggregate_id, key_str, key_base64)
cross join lateral (
    select min(i.id) as later from inbox i
    where i.aggregate_id = u.aggregate_id and i.id > u.id and i.status = 'PROCESSED'
      and i.outcome not in ('SKIPPED', 'IGNORED')) a
cross join lateral (
    select min(i.id) as later from inbox i
    where i.aggregate_id is null and left(i.key_str, 200) = left(u.key_str, 200)
      and i.key_str = u.key_str and i.originals ->> 'keyBase64' is not distinct from u.key_base64
      and i.id > u.id and i.status = 'PROCESSED' and i.outcome not in ('SKIPPED', 'IGNORED')) k
cross join lateral (select least(a.later, k.later) as later) l
where l.later is not null
