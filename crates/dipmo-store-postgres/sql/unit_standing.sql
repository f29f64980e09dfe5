-- Where units stand, for an operator, and their intent if that has records. An intent with records
-- is no unit.
select m.id, m.destination, m.lane, s.status, coalesce(e.attempts, 0), e.id is not null,
    coalesce(e.held, false), false, coalesce(e.outcome = 'SKIPPED', false), e.order_key, m.outbox_id,
    coalesce(e.overtaken_by, nullif(b.head_id, e.id)),
    coalesce(b.head_id = e.id, false), coalesce(e.retried, 0),
    coalesce((select i.payload::text = '{"dipmo.erased":true}' from outbox_log i
              where i.id = coalesce(m.outbox_id, m.id) limit 1), false)
from (
    select o.id, o.destination, o.lane, null::int8 as outbox_id from outbox_log o
    where o.id = any ($1::int8[])
      and not exists (select from outbox_progress p where p.outbox_id = o.id)
    union all
    select k.id, k.destination, k.lane, k.outbox_id from outbox_record_log k
    where k.id = any ($1::int8[])) m
left join outbox_exception e on e.id = m.id
left join outbox_block b on b.queue = e.queue and b.order_key = e.order_key and b.head_id >= e.id
    and (b.released_to is null or b.released_to < e.id)
cross join lateral (
    select case
        when e.id is not null then e.status
        when exists (select from outbox_ready r
                     where r.destination = m.destination and r.lane = m.lane and r.id <= m.id
                       and m.id = any (r.ids)) then 'PENDING'
        else 'DISPATCHED'
    end as status) s
