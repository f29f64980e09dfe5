-- Deletes up to $2 carried records from before $1 whose intent was settled since.
with gone as (
    delete from outbox_record_log_rest where ctid = any (array(
        select k.ctid from outbox_record_log_rest k
        where k.created_at < $1
          and not exists (select from outbox_progress p
                          where p.outbox_id = k.outbox_id and p.dispatched + p.skipped < p.total)
        limit $2))
    returning 1)
select count(*) from gone
