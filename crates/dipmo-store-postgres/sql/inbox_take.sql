-- Takes chunks of locked lanes in order until $2 messages are taken, and reads their messages: all
-- in one scan, in the months that the times of the chunks leave. The last column says how many
-- there must be. The inner LIMITs keep a plan that was made on empty tables from scanning full ones.
-- While more is due than $2, no chunk is taken: what inbox_take_due cuts off need not head its key,
-- and would be overtaken. This ends: each batch works off $2 of them, and one that is due again
-- waited for its back-off and has one attempt less. What was decoded only now comes last, and does
-- not count.
with due_first as materialized (
    select count(*) > $2 as yes from (
        select from unnest($1::int2[]) as l (lane)
        cross join lateral (
            select from inbox_exception e
            where e.lane = l.lane and e.next_attempt_at <= now()
              and (e.status <> 'RECEIVED' or e.parked_until is not null)
            limit $2::int8 + 1) e
        limit $2::int8 + 1) d),
taken as materialized (
    select t, id, ids, logged_at from (
        select r.t, r.id, r.ids, r.logged_at, sum(r.n) over (order by l.o, r.id) - r.n as before
        from unnest($1::int2[]) with ordinality as l (lane, o)
        cross join lateral (
            select ctid as t, id, ids, logged_at, cardinality(ids) as n from inbox_ready r
            where r.lane = l.lane order by r.id limit $2) r
        where not (select yes from due_first)) x
    where before < $2),
gone as (delete from inbox_ready where ctid = any (array(select t from taken))),
wanted as materialized (
    select array_agg(u.id) as ids, count(*) as n, min(x.logged_at) as first, max(x.logged_at) as last
    from taken x cross join lateral unnest(x.ids) as u (id))
select i.id, i.message_id, i.source_system, i.topic, i.partition_num, i.offset_num, i.key_str,
    i.aggregate_id, i.event_type, i.event_version, i.source_version, i.payload, i.headers,
    i.raw_payload_base64, i.event_ts, i.received_at, i.originals, i.lane, w.n
from wanted w
left join inbox_log i on i.id = any (w.ids) and i.received_at >= w.first and i.received_at <= w.last
where w.n > 0
