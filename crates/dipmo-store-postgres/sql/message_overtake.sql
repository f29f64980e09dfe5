-- Notes for messages that failed which later one of their key went on first without them: later by the
-- versions of their producer where both have one, else by their ids. Mostly nothing failed, and then
-- nothing is looked up.
update inbox_exception e set overtaken_by = f.later
from (
    select f.id, min(u.id) as later
    from unnest($1::varchar[], $2::int8[], $3::varchar[], $4::int8[])
        as u (order_key, id, source_system, source_version)
    cross join lateral (
        select f.id, f.logged_at from inbox_exception f
        where f.queue = '' and f.order_key = u.order_key and f.id <> u.id
          and f.status = 'FAILED' and f.overtaken_by is null and f.outcome is null) f
    cross join lateral (
        select m.source_system, m.source_version from inbox_log m
        where m.id = f.id and m.received_at = f.logged_at limit 1) m
    where (select exists (
        select from inbox_exception where status = 'FAILED' and overtaken_by is null and outcome is null))
      and case when m.source_system = u.source_system and m.source_version <> u.source_version
               then m.source_version < u.source_version else f.id < u.id end
    group by f.id) f
where e.id = f.id
