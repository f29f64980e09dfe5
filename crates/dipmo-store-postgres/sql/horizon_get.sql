-- Since when dedupe ids are complete.
select value::int8 from dipmo_setting where name = 'dedupe_horizon'
