-- Lets the lanes of a job go; they are locked.
update outbox_lane l set job_id = null
from unnest($1::varchar[], $2::int2[]) as u (destination, lane)
where l.destination = u.destination and l.lane = u.lane
