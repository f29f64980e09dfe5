-- Deletes up to $2 carried intents from before $1 that were settled since.
with gone as (
    delete from outbox_log_rest where ctid = any (array(
        select o.ctid from outbox_log_rest o
        where o.created_at < $1
          and not exists (select from outbox_exception e where e.id = o.id and e.status <> 'DISPATCHED' and e.outcome is null)
          and not exists (select from outbox_progress p where p.outbox_id = o.id and p.dispatched + p.skipped < p.total)
          and not exists (select from outbox_ready r
                          where r.destination = o.destination and r.lane = o.lane and r.id <= o.id and o.id = any (r.ids))
        limit $2))
    returning 1)
select count(*) from gone
