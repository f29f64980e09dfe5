-- What the store knows of itself: counters and settings.

-- Ids are never given twice, not even after the newest rows were dropped, and an intent and its
-- records share one counter. SQLite has no sequences.
CREATE TABLE dipmo_sequence (
  name TEXT    PRIMARY KEY,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO dipmo_sequence (name, last) VALUES ('inbox', 0), ('outbox', 0), ('timer', 0);

CREATE TABLE dipmo_setting (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
