-- One lot, which nobody else changes until the transaction ends.
select id, side, month, state, aside_at, archived_at, dropped_at, directory, manifest, row_count, record_count, file_count,
    byte_count, wish, hold, checked_at, problem, restored_at, restored_until
from dipmo_lot where id = $1 for no key update
