-- Deletes up to $2 counts of intents that are no longer in the log; $1 is not needed for that.
with gone as (
    delete from outbox_progress where ctid = any (array(
        select p.ctid from outbox_progress p
        where p.dispatched + p.skipped = p.total and $1::timestamptz is not null
          and not exists (select from outbox_log o where o.id = p.outbox_id)
        limit $2))
    returning 1)
select count(*) from gone
