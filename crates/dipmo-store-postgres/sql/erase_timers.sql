-- Finds timers that are about the aggregate $1 or of the instances $2, which have ended, and takes them away if $3.
with open as materialized (
    select process, instance_id, name from process_timer
    where aggregate_id = $1::varchar or process || '/' || instance_id = any ($2::text[])),
gone as (
    delete from process_timer t using open o
    where $3::boolean and t.process = o.process and t.instance_id = o.instance_id and t.name = o.name)
select count(*) from open
