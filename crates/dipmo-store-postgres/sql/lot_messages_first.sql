-- When a message from before $1 came that was carried over and is settled since.
select m.received_at from inbox_log_rest m
where m.received_at < $1
  and not exists (select from inbox_exception e where e.id = m.id and e.status <> 'PROCESSED')
  and not exists (select from inbox_ready r where r.lane = m.lane and r.id <= m.id and m.id = any (r.ids))
limit 1
