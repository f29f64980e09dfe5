-- Where messages stand, for an operator, and which later one of its key each waits for or was overtaken
-- by: later as in message_overtake. The column before that is of units with records only.
select m.id, ''::varchar as queue, m.lane, s.status, coalesce(e.attempts, 0), e.id is not null,
    coalesce(e.held, false), e.parked_until is not null, coalesce(e.outcome = 'SKIPPED', false),
    e.order_key, null::int8, coalesce(e.overtaken_by, h.id),
    coalesce(b.head_id = e.id, false), coalesce(e.retried, 0), false
from unnest($1::int8[]) as u (id)
join inbox_log m on m.id = u.id
left join inbox_exception e on e.id = m.id
left join inbox_block b on b.queue = e.queue and b.order_key = e.order_key
    and (b.released_to is null or b.released_to < least(b.head_id, e.id))
left join lateral (
    select h.id from inbox_log h
    where h.id = b.head_id and h.id <> m.id
      and case when h.source_system = m.source_system and h.source_version <> m.source_version
               then h.source_version > m.source_version else h.id > m.id end
    limit 1) h on true
cross join lateral (
    select case
        when e.id is not null then e.status
        when exists (select from inbox_ready r
                     where r.lane = m.lane and r.id <= m.id and m.id = any (r.ids)) then 'RECEIVED'
        else 'PROCESSED'
    end as status) s
