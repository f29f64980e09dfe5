-- Makes messages or units due as if they had never been tried; counts those that had failed, or
-- were parked.
update {box}_exception
set retried = retried + (status = 'FAILED' or parked_until is not null)::int4, status = $2,
    attempts = 0, next_attempt_at = now(), parked_until = null
where id = any ($1::int8[])
