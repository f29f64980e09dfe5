-- Makes messages or units due as if they had never been tried; counts those that had failed.
update {box}_exception
set retried = retried + (status = 'FAILED')::int4, status = $2, attempts = 0, next_attempt_at = now()
where id = any ($1::int8[])
