-- Notes for units that failed which later one of their key went on first without them. Mostly nothing
-- failed, and then nothing is looked up; the order names the index that says so. Not in steps: until
-- the last of them has its note, a retry of it would go unwarned on top of what its key did since. They
-- are what failed in a row since the key last went on, and each gets its note once.
update outbox_exception e set overtaken_by = f.later
from (
    select f.id, min(u.id) as later
    from unnest($1::varchar[], $2::varchar[], $3::int8[]) as u (queue, order_key, id)
    cross join lateral (
        select f.id from outbox_exception f
        where f.queue = u.queue and f.order_key = u.order_key and f.id < u.id
          and f.status = 'FAILED' and f.overtaken_by is null and f.outcome is null) f
    where (
        select true from outbox_exception
        where status = 'FAILED' and overtaken_by is null and outcome is null
        order by queue, order_key, id limit 1)
    group by f.id) f
where e.id = f.id
