-- Puts messages that were decoded again into their places: due now, or held where their key waits
-- for another one.
update inbox_exception e
set status = 'RECEIVED', lane = u.lane, order_key = u.order_key, held = w.waits,
    next_attempt_at = case when not w.waits then now() end,
    error_stage = null, error_code = null, error_message = null, fingerprint = null, failed_at = null
from unnest($1::int8[], $2::int2[], $3::varchar[]) as u (id, lane, order_key)
left join inbox_block b on b.queue = '' and b.order_key = u.order_key
cross join lateral (
    select coalesce(b.head_id <> u.id and (b.released_to is null or b.released_to < u.id), false) as waits) w
where e.id = u.id
