-- As unit_lane_lock_ended, waiting for who holds it.
select destination, lane from outbox_lane l
where (select true from outbox_block b
       where b.queue = l.destination and b.lane = l.lane and b.released_to is not null limit 1)
  and l.job_id is null
order by destination, lane limit 1
for update
