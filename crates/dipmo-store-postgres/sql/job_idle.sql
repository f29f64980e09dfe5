-- Fails unless no job holds any of these lanes, which are locked.
select dipmo_assert(count(*) = 0, 'fenced', 'a lane that a job holds')
from unnest($1::varchar[], $2::int2[]) as u (destination, lane)
join outbox_lane l on l.destination = u.destination and l.lane = u.lane
where l.job_id is not null
