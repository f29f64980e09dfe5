-- Timers of an instance, by their names.
select name, event_type, due_at from process_timer
where process = $1 and instance_id = $2 order by name limit $3
