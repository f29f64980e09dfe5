-- Forgets up to $2 dedupe ids from before $1 whose message is no longer in the log.
with gone as (
    delete from inbox_dedupe
    where ctid = any (array(
        select d.ctid from inbox_dedupe d
        where d.received_at < $1 and not exists (
            select from inbox_log m where m.id = d.inbox_id and m.received_at = d.received_at)
        limit $2))
    returning 1)
select count(*) from gone
