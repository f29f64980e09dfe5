-- Moves up to $3 messages from $1 to before $2 into a lot that were carried over and are settled since.
with gone as (
    delete from inbox_log_rest where ctid = any (array(
        select m.ctid from inbox_log_rest m
        where m.received_at >= $1 and m.received_at < $2
          and not exists (select from inbox_exception e where e.id = m.id and e.status <> 'PROCESSED')
          and not exists (select from inbox_ready r
                          where r.lane = m.lane and r.id <= m.id and m.id = any (r.ids))
        limit $3))
    returning *),
moved as (insert into inbox_aside_{lot} select * from gone returning 1)
select count(*) from moved
