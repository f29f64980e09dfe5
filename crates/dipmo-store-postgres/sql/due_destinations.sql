-- The destinations that have something to deliver now, or a job that nobody goes on with. What waits in
-- a lane that a job holds waits for the job.
select distinct l.destination from outbox_lane l
where case
    when l.job_id is null then
        (select true from outbox_ready r
         where r.destination = l.destination and r.lane = l.lane limit 1)
     or (select true from outbox_exception e
         where e.queue = l.destination and e.lane = l.lane and e.next_attempt_at <= now() limit 1)
    else (select true from outbox_lane a
          where a.destination = l.destination and a.job_id = l.job_id and a.lease_until > now() limit 1) is null
end
order by l.destination
