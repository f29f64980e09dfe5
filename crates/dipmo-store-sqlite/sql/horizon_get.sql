-- Since when dedupe ids are complete, in microseconds.
SELECT CAST(value AS INTEGER) FROM dipmo_setting WHERE name = 'dedupe_horizon'
