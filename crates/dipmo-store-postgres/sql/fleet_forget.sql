-- Forgets instances that were not seen since $1.
with gone as (delete from dipmo_instance where seen_at < $1 returning 1) select count(*) from gone
