-- What waits in the inbox, under one word each, and when the oldest came that could be worked on now.
-- What has ended is passed over by the index on STATUS; a chunk has messages of one RECEIVED_AT, so
-- that the log is not needed. All lanes are named so that ready rows are read by their index as well:
-- the table's file keeps the size of the largest backlog that there ever was.
select '' as queue, sum(ready)::int8, sum(retrying)::int8, sum(held)::int8, sum(parked)::int8,
    sum(failed)::int8, min(oldest)
from (
    select coalesce(sum(cardinality(ids)), 0) as ready, 0 as retrying, 0 as held, 0 as parked,
        0 as failed, min(logged_at) as oldest
    from inbox_ready where lane >= 0
    union all
    select 0,
        count(*) filter (where status in ('RECEIVED', 'RETRY') and not held and parked_until is null),
        count(*) filter (where status in ('RECEIVED', 'RETRY') and held),
        count(*) filter (where status in ('RECEIVED', 'RETRY') and not held and parked_until is not null),
        count(*) filter (where status in ('FAILED', 'SERDE_ERROR')),
        min(logged_at) filter (where next_attempt_at <= now())
    from inbox_exception
    where status in ('RECEIVED', 'RETRY', 'FAILED', 'SERDE_ERROR')) w
