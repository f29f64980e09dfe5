-- Forgets hours that began before $1.
with gone as (delete from dipmo_slo where hour < $1 returning 1)
select count(*) from gone
