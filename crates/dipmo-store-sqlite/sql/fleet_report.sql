-- Keeps what an instance tells of itself at ?5; when it told first stays.
INSERT INTO dipmo_instance (name, version, roles, report, started_at, seen_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
ON CONFLICT (name) DO UPDATE SET
  version = excluded.version, roles = excluded.roles, report = excluded.report, seen_at = excluded.seen_at
