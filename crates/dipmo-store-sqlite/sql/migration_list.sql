-- The migrations that were applied.
SELECT version, name, checksum, breaks_older, applied_at FROM dipmo_migration ORDER BY version
