-- Locks a free lane with a block whose head ended.
select lane from inbox_lane l
where (select true from inbox_block b
       where b.queue = '' and b.lane = l.lane and b.released_to is not null
         and b.released_to >= b.head_id limit 1)
order by lane limit 1
for update skip locked
