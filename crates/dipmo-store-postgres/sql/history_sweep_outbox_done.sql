-- Deletes up to $2 rows of batches that ended before $1: all that they tell of was received before.
with gone as (
    delete from outbox_done where ctid = any (array(
        select d.ctid from outbox_done d where d.ended_at < $1 limit $2))
    returning 1)
select count(*) from gone
