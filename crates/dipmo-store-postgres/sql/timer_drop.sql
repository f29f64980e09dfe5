-- Takes all timers of an instance away; answers how many. One that somebody takes right now is waited for.
with gone as (delete from process_timer where process = $1 and instance_id = $2 returning 1)
select count(*) from gone
