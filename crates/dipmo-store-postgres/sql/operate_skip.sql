-- Ends messages or units, with status $2 and outcome $3, without doing what they ask for.
update {box}_exception
set status = $2, outcome = $3, ended_at = now(), next_attempt_at = null, held = false,
    parked_until = null
where id = any ($1::int8[])
