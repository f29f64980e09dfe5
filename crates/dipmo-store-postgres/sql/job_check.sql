-- Fails unless these are all the lanes of a job, and it is in one of the phases $4. The lanes are locked:
-- nobody else can change the job.
select dipmo_assert(
    (select phase = any ($4::varchar[]) from outbox_job where id = $3)
    and count(distinct l.lane) = cardinality($2::int2[])
    and count(distinct l.lane) = (
        select count(*) from outbox_job j
        join outbox_lane a on a.destination = j.destination and a.job_id = j.id
        where j.id = $3),
    'fenced', 'a job of the outbox')
from unnest($1::varchar[], $2::int2[]) as u (destination, lane)
join outbox_lane l on l.destination = u.destination and l.lane = u.lane and l.job_id = $3
