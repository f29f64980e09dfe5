-- Reads messages of locked lanes whose time has come again: retries, and parked ones. Where they leave
-- room, also those that were decoded only now: they were never met, and wait while earlier ones of
-- their lane stay ready.
with met as materialized (
    select e.* from unnest($1::int2[]) as l (lane)
    cross join lateral (
        select id, logged_at, attempts, parked_until, retried from inbox_exception e
        where e.lane = l.lane and e.next_attempt_at <= now()
          and (e.status <> 'RECEIVED' or e.parked_until is not null)
        order by e.next_attempt_at, e.id limit $2) e
    limit $2),
decoded as materialized (
    select e.* from unnest($1::int2[]) as l (lane)
    cross join lateral (
        select id, logged_at, attempts, parked_until, retried from inbox_exception e
        where e.lane = l.lane and e.next_attempt_at <= now()
          and e.status = 'RECEIVED' and e.parked_until is null
          and (select r.id from inbox_ready r where r.lane = l.lane order by r.id limit 1) < e.id is not true
        order by e.next_attempt_at, e.id limit $2) e
    limit $2 - (select count(*) from met))
select m.*, e.attempts, e.parked_until, e.retried
from (select * from met union all select * from decoded) e
left join lateral (
    select i.id, i.message_id, i.source_system, i.topic, i.partition_num, i.offset_num, i.key_str,
        i.aggregate_id, i.event_type, i.event_version, i.source_version, i.payload, i.headers,
        i.raw_payload_base64, i.event_ts, i.received_at, i.originals, i.lane
    from inbox_log i where i.id = e.id and i.received_at = e.logged_at limit 1) m on true
