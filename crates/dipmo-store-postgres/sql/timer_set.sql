-- Sets timers; one that is set again moves.
insert into process_timer (process, instance_id, name, due_at, aggregate_id, event_type, payload)
select process, instance_id, name, now() + due_in * interval '1 microsecond', aggregate_id,
    event_type, payload
from unnest($1::varchar[], $2::varchar[], $3::varchar[], $4::int8[], $5::varchar[], $6::varchar[],
    $7::json[]) as u (process, instance_id, name, due_in, aggregate_id, event_type, payload)
on conflict (process, instance_id, name) do update set
    due_at = excluded.due_at, aggregate_id = excluded.aggregate_id,
    event_type = excluded.event_type, payload = excluded.payload
