-- Moves up to $3 intents from $1 to before $2 into a lot that were carried over and are settled since, and their records.
with gone as (
    delete from outbox_log_rest where ctid = any (array(
        select o.ctid from outbox_log_rest o
        where o.created_at >= $1 and o.created_at < $2
          and not exists (select from outbox_exception e
                          where e.id = o.id and e.status <> 'DISPATCHED' and e.outcome is null)
          and not exists (select from outbox_progress p
                          where p.outbox_id = o.id and p.dispatched + p.skipped < p.total)
          and not exists (select from outbox_ready r
                          where r.destination = o.destination and r.lane = o.lane and r.id <= o.id
                            and o.id = any (r.ids))
        limit $3))
    returning *),
moved as (insert into outbox_aside_{lot} select * from gone returning 1),
records as (delete from outbox_record_log_rest k where k.outbox_id in (select id from gone) returning k.*),
moved_records as (insert into outbox_record_aside_{lot} select * from records)
select count(*) from moved
