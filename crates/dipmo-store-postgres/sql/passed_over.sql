-- The versions of order keys whose messages failed or were skipped, of the newest $2 of each key.
-- Mostly there are none at all, and then none is looked up.
select e.order_key, m.source_system, m.source_version
from unnest($1::varchar[]) as u (order_key)
cross join lateral (
    select id, logged_at, order_key from inbox_exception e
    where e.order_key = u.order_key and (e.status = 'FAILED' or e.outcome = 'SKIPPED')
    order by e.id desc limit $2) e
cross join lateral (
    select source_system, source_version from inbox_log m
    where m.id = e.id and m.received_at = e.logged_at limit 1) m
where m.source_version is not null
  and (select exists (
      select from inbox_exception where order_key is not null and (status = 'FAILED' or outcome = 'SKIPPED')))
