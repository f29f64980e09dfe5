-- The chunks of a job behind $2 and up to $3, as outbox_read tells chunks.
select r.id, r.destination, r.lane, r.logged_at, r.ids, k.intents, k.keys
from outbox_ready r
left join lateral (
    select array_agg(k.outbox_id order by u.o) as intents, array_agg(k.record_key order by u.o) as keys
    from unnest(r.ids) with ordinality as u (id, o)
    left join lateral (
        select outbox_id, record_key from outbox_record_log k
        where k.id = u.id and k.created_at = r.logged_at limit 1) k on true) k on r.records
where r.job_id = $1 and r.ids[cardinality(r.ids)] > $2 and r.ids[cardinality(r.ids)] <= $3
