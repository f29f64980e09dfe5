-- The same for the outbox: the oldest $2 chunks of every lane of a destination, and $3 rows of every destination that
-- left the straight path; what was given up waits for nobody.
with ready as materialized (
    select l.destination, r.lane, r.logged_at, cardinality(r.ids) as units
    from outbox_lane l
    cross join lateral (
        select c.lane, c.logged_at, c.ids from outbox_ready c
        where c.destination = l.destination and c.lane = l.lane order by c.id limit $2::int8 + 1) r),
aside as materialized (
    select e.queue, e.status, e.lane, e.held, e.logged_at
    from outbox_lane l
    cross join lateral (
        select x.* from outbox_exception x
        where x.queue = l.destination and x.status <> 'DISPATCHED' and x.outcome is null limit $3::int8 + 1) e
    where l.lane = 0)
select w.queue, w.lane, w.status, w.held, false as parked,
    width_bucket(extract(epoch from now() - w.logged_at)::float8, $1::float8[]) as age,
    sum(w.units)::int8, min(w.logged_at),
    exists (select from ready group by destination, lane having count(*) > $2)
        or exists (select from aside group by queue having count(*) > $3) as more
from (
    select destination as queue, lane, 'PENDING'::varchar as status, false as held, logged_at, units from ready
    union all
    select queue, lane, status, held, logged_at, 1 from aside) w
group by 1, 2, 3, 4, 6
