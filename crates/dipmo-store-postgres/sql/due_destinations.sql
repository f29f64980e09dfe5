-- The destinations that have something to deliver now.
select distinct l.destination from outbox_lane l
where (select true from outbox_ready r
       where r.destination = l.destination and r.lane = l.lane limit 1)
   or (select true from outbox_exception e
       where e.queue = l.destination and e.lane = l.lane and e.next_attempt_at <= now() limit 1)
order by l.destination
