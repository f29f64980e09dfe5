-- The chunks of leased lanes in order, until $3 units are read; $4 are in flight. A row is a chunk:
-- its units, and of a chunk of records their intents and keys beside them. No chunk while more is
-- due than $3: what outbox_read_due cuts off need not head its key, and would be overtaken. This
-- ends as in inbox_take. What was put off is due at once, but then its destination takes nothing. Nothing
-- of a lane that a job holds; mostly there is no job, and then no lane is looked up.
with l as materialized (
    select u.destination, u.lane, u.o
    from unnest($1::varchar[], $2::int2[]) with ordinality as u (destination, lane, o)
    where (select true from outbox_job where ended_at is null order by destination, id limit 1) is null
       or (select a.job_id is null from outbox_lane a where a.destination = u.destination and a.lane = u.lane)),
due_first as materialized (
    select count(*) > $3 as yes from (
        select from l
        cross join lateral (
            select from outbox_exception e
            where e.queue = l.destination and e.lane = l.lane and e.next_attempt_at <= now()
            limit $3::int8 + 1) e
        limit $3::int8 + 1) d),
x as materialized (
    select id, logged_at, destination, lane, records, ids from (
        select r.*, sum(r.n) over (order by l.o, r.id) - r.n as before
        from l
        cross join lateral (
            select id, logged_at, destination, lane, records, ids, cardinality(ids) as n
            from outbox_ready r
            where r.destination = l.destination and r.lane = l.lane and r.id <> all ($4::int8[])
            order by r.id limit $3) r
        where not (select yes from due_first)) y
    where before < $3)
select x.id, x.destination, x.lane, x.logged_at, x.ids, k.intents, k.keys
from x
left join lateral (
    select array_agg(k.outbox_id order by u.o) as intents, array_agg(k.record_key order by u.o) as keys
    from unnest(x.ids) with ordinality as u (id, o)
    left join lateral (
        select outbox_id, record_key from outbox_record_log k
        where k.id = u.id and k.created_at = x.logged_at limit 1) k on true) k on x.records
