-- Where migrations are written down; needed before the first of them.
CREATE TABLE IF NOT EXISTS dipmo_migration (
  version      INTEGER PRIMARY KEY,
  name         TEXT    NOT NULL,
  checksum     TEXT    NOT NULL,
  breaks_older INTEGER NOT NULL,
  applied_at   INTEGER NOT NULL
) STRICT
