-- Cancels timers.
delete from process_timer t
using unnest($1::varchar[], $2::varchar[], $3::varchar[]) as u (process, instance_id, name)
where t.process = u.process and t.instance_id = u.instance_id and t.name = u.name
