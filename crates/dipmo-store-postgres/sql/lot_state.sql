-- A lot goes on to $2.
update dipmo_lot set state = $2::varchar, dropped_at = case when $2::varchar = 'DROPPED' then now() end where id = $1
