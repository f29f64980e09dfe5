-- The oldest lots that somebody wants something of.
select id, side, month, state, aside_at, archived_at, dropped_at, directory, manifest, row_count, record_count, file_count,
    byte_count, wish, hold, checked_at, problem, restored_at, restored_until
from dipmo_lot where wish is not null order by id limit $1
