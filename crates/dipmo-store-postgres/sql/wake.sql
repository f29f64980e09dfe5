-- Makes parked messages due: the gap that they waited for may have closed. Only a message that is
-- parked has PARKED_UNTIL.
update inbox_exception e set next_attempt_at = now()
where e.order_key = any ($1::varchar[]) and e.parked_until is not null
