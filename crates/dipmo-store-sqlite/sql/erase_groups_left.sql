-- How many rows `erase_groups` would change.
SELECT count(*) FROM dipmo_failure_group WHERE failed + retrying = 0
