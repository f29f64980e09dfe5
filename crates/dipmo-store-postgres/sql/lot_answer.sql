-- What became of a wish: $2 was wrong, or the rows are held for $3 microseconds.
update dipmo_lot
set wish = null, hold = null, checked_at = now(), problem = $2::varchar,
    restored_at = case when $3::int8 is null then restored_at else now() end,
    restored_until = coalesce(now() + $3::int8 * interval '1 microsecond', restored_until)
where id = $1
