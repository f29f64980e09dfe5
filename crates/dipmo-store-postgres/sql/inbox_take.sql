-- Takes chunks of locked lanes in order until $2 messages are taken, and reads their messages: all
-- in one scan, in the months that the times of the chunks leave. The last column says how many
-- there must be. The inner LIMITs keep a plan that was made on empty tables from scanning full ones.
with taken as materialized (
    select t, id, ids, logged_at from (
        select r.t, r.id, r.ids, r.logged_at, sum(r.n) over (order by l.o, r.id) - r.n as before
        from unnest($1::int2[]) with ordinality as l (lane, o)
        cross join lateral (
            select ctid as t, id, ids, logged_at, cardinality(ids) as n from inbox_ready r
            where r.lane = l.lane order by r.id limit $2) r) x
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
