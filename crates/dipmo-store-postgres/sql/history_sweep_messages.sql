-- Deletes up to $2 carried messages from before $1 that were settled since.
with gone as (
    delete from inbox_log_rest where ctid = any (array(
        select m.ctid from inbox_log_rest m
        where m.received_at < $1
          and not exists (select from inbox_exception e where e.id = m.id and e.status <> 'PROCESSED')
          and not exists (select from inbox_ready r
                          where r.lane = m.lane and r.id <= m.id and m.id = any (r.ids))
        limit $2))
    returning 1)
select count(*) from gone
