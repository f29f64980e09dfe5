-- Makes messages of this transaction ready: one row for a lane (and a block of ids, so that no row
-- grows past 1,000).
insert into inbox_ready (lane, id, logged_at, ids)
select lane, min(id), now(), array_agg(id order by id)
from unnest($1::int8[], $2::int2[]) as u (id, lane)
group by lane, (id - 1) / 1000
