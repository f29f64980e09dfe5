-- One lot.
SELECT id, side, month, state, aside_at, archived_at, dropped_at, directory, manifest, row_count, record_count,
       file_count, byte_count, wish, hold, checked_at, problem, restored_at, restored_until
  FROM dipmo_lot WHERE id = ?1
