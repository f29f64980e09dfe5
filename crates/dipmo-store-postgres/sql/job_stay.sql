-- Fails unless what is to stay in a job is in it: chunks, or units ($3) that have rows of their own.
select dipmo_assert(count(*) = cardinality($3::int8[]), 'fenced', 'a unit of a job')
from unnest($1::varchar[], $2::int2[], $3::int8[], $4::bool[], $5::int8[])
    as u (destination, lane, id, is_chunk, job_id)
where u.job_id = case
    when u.is_chunk then (
        select r.job_id from outbox_ready r
        where r.destination = u.destination and r.lane = u.lane and r.id = u.id)
    else (select e.job_id from outbox_exception e where e.id = u.id) end
