-- Whose timers are about an aggregate. They have no index by it, and are read once.
select distinct process, instance_id from process_timer where aggregate_id = $1::varchar
