-- The units of leased lanes in order, whole chunks, until $3 units are read; $4 are in flight.
with x as materialized (
    select id, logged_at, destination, lane, records, ids from (
        select r.*, sum(r.n) over (order by l.o, r.id) - r.n as before
        from unnest($1::varchar[], $2::int2[]) with ordinality as l (destination, lane, o)
        cross join lateral (
            select id, logged_at, destination, lane, records, ids, cardinality(ids) as n
            from outbox_ready r
            where r.destination = l.destination and r.lane = l.lane and r.id <> all ($4::int8[])
            order by r.id limit $3) r) y
    where before < $3)
select u.id, x.id, x.destination, x.lane, x.logged_at, k.outbox_id, k.record_key
from x
cross join lateral unnest(x.ids) as u (id)
left join lateral (
    select outbox_id, record_key from outbox_record_log k
    where x.records and k.id = u.id and k.created_at = x.logged_at limit 1) k on true
