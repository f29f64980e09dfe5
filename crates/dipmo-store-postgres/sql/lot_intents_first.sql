-- When an intent from before $1 was written that was carried over and is settled since.
select o.created_at from outbox_log_rest o
where o.created_at < $1
  and not exists (select from outbox_exception e where e.id = o.id and e.status <> 'DISPATCHED' and e.outcome is null)
  and not exists (select from outbox_progress p where p.outbox_id = o.id and p.dispatched + p.skipped < p.total)
  and not exists (select from outbox_ready r
                  where r.destination = o.destination and r.lane = o.lane and r.id <= o.id and o.id = any (r.ids))
limit 1
