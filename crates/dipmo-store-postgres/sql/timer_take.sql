-- Takes timers whose time has come; each by one instance only.
delete from process_timer
where ctid = any (array(
    select ctid from process_timer where due_at <= now() order by due_at limit $1
    for update skip locked))
returning process, instance_id, name, aggregate_id, event_type, payload, nextval('internal_offset')
