-- Locks the lanes that messages leave ($1) and those that they go to ($2), in order.
select l.lane from inbox_lane l
where l.lane = any ($2::int2[])
   or l.lane = any (array(select m.lane from inbox_log m where m.id = any ($1::int8[])))
order by l.lane
for update
