-- Deletes up to $2 rows of batches that ended before $1, but for those that tell of a record whose
-- intent is still open.
with gone as (
    delete from outbox_done where ctid = any (array(
        select d.ctid from outbox_done d
        where d.ended_at < $1
          and not exists (
              select from outbox_record_log_rest k
              join outbox_progress p on p.outbox_id = k.outbox_id
              where k.id = any (d.ids) and p.dispatched < p.total)
        limit $2))
    returning 1)
select count(*) from gone
