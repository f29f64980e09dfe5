-- Forgets groups in which nothing counts, and that nobody failed with since ?1.
DELETE FROM dipmo_failure_group WHERE failed + retrying = 0 AND last_seen < ?1
