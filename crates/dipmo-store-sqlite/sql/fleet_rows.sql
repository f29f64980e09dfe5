-- The instances that were seen last.
SELECT name, version, roles, report, started_at, seen_at FROM dipmo_instance ORDER BY seen_at DESC, name LIMIT ?1
