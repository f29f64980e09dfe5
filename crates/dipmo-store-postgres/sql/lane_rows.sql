-- Lanes that somebody has leased, or a job holds.
select destination, lane, owner, lease_until, job_id from outbox_lane
where owner is not null or job_id is not null order by destination, lane
