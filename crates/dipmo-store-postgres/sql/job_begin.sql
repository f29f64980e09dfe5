-- Makes a job of what lanes of $1 have to deliver, as outbox_read and outbox_read_due read it: up to $4
-- units that are due, and chunks in order until they have $4 units, but no chunk while more is due than
-- that. With fewer than $3 units it does nothing. The lanes are locked by a statement before this one.
with due_all as materialized (
    select e.id, e.lane from unnest($2::int2[]) as l (lane)
    cross join lateral (
        select id, lane from outbox_exception e
        where e.queue = $1::varchar and e.lane = l.lane and e.next_attempt_at <= now()
        order by e.next_attempt_at, e.id limit $4::int8 + 1) e
    limit $4::int8 + 1),
due as materialized (select id, lane from due_all limit $4),
chunks as materialized (
    select id, lane, n from (
        select r.*, sum(r.n) over (order by l.o, r.id) - r.n as before
        from unnest($2::int2[]) with ordinality as l (lane, o)
        cross join lateral (
            select id, lane, cardinality(ids) as n from outbox_ready r
            where r.destination = $1 and r.lane = l.lane order by r.id limit $4) r
        where (select count(*) from due_all) <= $4) x
    where before < $4),
sealed as (
    insert into outbox_job (destination, units)
    select $1::varchar, n from (
        select (select count(*) from due) + (select coalesce(sum(n), 0) from chunks) as n) x
    where n >= greatest($3::int8, 1)
    returning *),
marked_due as (
    update outbox_exception e set job_id = s.id from sealed s cross join due where e.id = due.id),
marked_chunks as (
    update outbox_ready r set job_id = s.id from sealed s cross join chunks c
    where r.destination = s.destination and r.lane = c.lane and r.id = c.id),
held as (
    update outbox_lane l set job_id = s.id
    from sealed s cross join (select lane from due union select lane from chunks) u
    where l.destination = s.destination and l.lane = u.lane
    returning l.lane)
select s.id, s.destination, s.phase, s.remote_id, s.units, s.created_at, s.phase_at,
    array(select lane from held order by lane)
from sealed s
