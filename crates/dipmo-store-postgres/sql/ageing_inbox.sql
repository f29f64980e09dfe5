-- What waits in the inbox, by lane, status, what it waits for and age, whose bounds are $1 in seconds: the oldest $2
-- chunks of every lane, and the oldest $3 rows of every status. One more of either says that there is more.
-- A chunk has messages of one RECEIVED_AT. Status and id are compared and sorted as one: that is what the index is of.
with ready as materialized (
    select r.lane, r.logged_at, cardinality(r.ids) as messages
    from inbox_lane l
    cross join lateral (
        select c.lane, c.logged_at, c.ids from inbox_ready c where c.lane = l.lane order by c.id limit $2::int8 + 1) r),
aside as materialized (
    select e.status, e.lane, e.held, e.parked_until is not null as parked, e.logged_at
    from unnest('{RECEIVED,RETRY,FAILED,SERDE_ERROR}'::varchar[]) as s (status)
    cross join lateral (
        select x.* from inbox_exception x
        where (x.status, x.id) > (s.status, 0) and (x.status, x.id) <= (s.status, 9223372036854775807) and x.id > 0
        order by x.status, x.id limit $3::int8 + 1) e)
select ''::varchar as queue, w.lane, w.status, w.held, w.parked,
    width_bucket(extract(epoch from now() - w.logged_at)::float8, $1::float8[]) as age,
    sum(w.messages)::int8, min(w.logged_at),
    exists (select from ready group by lane having count(*) > $2)
        or exists (select from aside group by status having count(*) > $3) as more
from (
    select lane, 'RECEIVED'::varchar as status, false as held, false as parked, logged_at, messages from ready
    union all
    select lane, status, held, parked and not held, logged_at, 1 from aside) w
group by 2, 3, 4, 5, 6
