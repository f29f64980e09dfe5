-- Takes chunks of locked lanes in order until $2 messages are taken, and reads their messages. The
-- inner LIMITs keep a plan that was made on empty tables from scanning full ones.
with taken as materialized (
    select t, id, ids, logged_at from (
        select r.t, r.id, r.ids, r.logged_at, sum(r.n) over (order by l.o, r.id) - r.n as before
        from unnest($1::int2[]) with ordinality as l (lane, o)
        cross join lateral (
            select ctid as t, id, ids, logged_at, cardinality(ids) as n from inbox_ready r
            where r.lane = l.lane order by r.id limit $2) r) x
    where before < $2),
gone as (delete from inbox_ready where ctid = any (array(select t from taken)))
select m.*
from taken x
cross join lateral unnest(x.ids) as u (id)
left join lateral (
    select i.id, i.message_id, i.source_system, i.topic, i.partition_num, i.offset_num, i.key_str,
        i.aggregate_id, i.event_type, i.event_version, i.source_version, i.payload, i.headers,
        i.raw_payload_base64, i.event_ts, i.received_at, i.originals, i.lane
    from inbox_log i where i.id = u.id and i.received_at = x.logged_at limit 1) m on true
