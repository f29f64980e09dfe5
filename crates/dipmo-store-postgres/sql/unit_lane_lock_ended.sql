-- Locks a free lane of a destination with a block whose head ended; not one that a job holds, where
-- nothing is let go.
select destination, lane from outbox_lane l
where (select true from outbox_block b
       where b.queue = l.destination and b.lane = l.lane and b.released_to is not null limit 1)
  and l.job_id is null
order by destination, lane limit 1
for update skip locked
