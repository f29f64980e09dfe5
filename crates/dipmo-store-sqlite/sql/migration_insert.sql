-- Writes down that a migration was applied.
INSERT INTO dipmo_migration (version, name, checksum, breaks_older, applied_at)
VALUES (?1, ?2, ?3, ?4, ?5)
