-- Lots with a lower number than $1, the newest first.
select id, side, month, state, aside_at, archived_at, dropped_at, directory, manifest, row_count, record_count, file_count,
    byte_count, wish, hold, checked_at, problem, restored_at, restored_until
from dipmo_lot where id < $1 order by id desc limit $2
