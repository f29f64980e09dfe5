-- Deletes up to $2 jobs that ended before $1: nothing is left in them.
with gone as (
    delete from outbox_job where ctid = any (array(
        select ctid from outbox_job where ended_at < $1 limit $2))
    returning 1)
select count(*) from gone
