-- Locks up to $2 lanes that have something due, beginning at lane $1. The rows are read by the next
-- statement: one that locks and reads would see rows as they were before the lock. A scalar
-- subquery is asked lane by lane; EXISTS could be answered by reading all that is ready.
select lane, now() from inbox_lane l
where (select true from inbox_ready r where r.lane = l.lane limit 1)
   or (select true from inbox_exception e where e.lane = l.lane and e.next_attempt_at <= now() limit 1)
order by (lane < $1), lane
limit $2
for update skip locked
