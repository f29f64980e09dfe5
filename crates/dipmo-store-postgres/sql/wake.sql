-- Makes parked messages due: the gap that they waited for may have closed. One that is held as well
-- waits for its head.
update inbox_exception e set next_attempt_at = now()
where e.order_key = any ($1::varchar[]) and e.parked_until is not null and not e.held
