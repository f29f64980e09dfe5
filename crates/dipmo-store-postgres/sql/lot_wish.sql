-- Somebody wants something of a lot that has files.
update dipmo_lot set wish = $2::varchar, hold = $3 where id = $1 and directory is not null
returning id, side, month, state, aside_at, archived_at, dropped_at, directory, manifest, row_count, record_count, file_count,
    byte_count, wish, hold, checked_at, problem, restored_at, restored_until
