-- Forgets groups of failures in which nothing counts: they show words of what failed, and whose words they are is known no
-- longer.
DELETE FROM dipmo_failure_group WHERE failed + retrying = 0
