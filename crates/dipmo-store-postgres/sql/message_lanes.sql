-- Locks the lanes of messages, waiting for who holds them; in order, so that two operators do not
-- deadlock. Where the messages stand is read by the next statement.
select l.lane from inbox_lane l
where l.lane = any (array(select m.lane from inbox_log m where m.id = any ($1::int8[])))
order by l.lane
for update
