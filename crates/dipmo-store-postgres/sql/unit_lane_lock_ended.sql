-- Locks a free lane of a destination with a block whose head ended.
select destination, lane from outbox_lane l
where (select true from outbox_block b
       where b.queue = l.destination and b.lane = l.lane and b.released_to is not null limit 1)
order by destination, lane limit 1
for update skip locked
