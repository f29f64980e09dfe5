-- Locks a lane with a block whose head ended. Waits for its holder: what is held must be let go
-- even when the lane is never idle.
select lane from inbox_lane l
where (select true from inbox_block b where b.queue = '' and b.lane = l.lane and b.released_to is not null limit 1)
order by lane limit 1
for update
