-- Locks lanes, waiting for who holds them; in order, so that two who want several do not deadlock.
select lane from inbox_lane where lane = any ($1::int2[]) order by lane for update
