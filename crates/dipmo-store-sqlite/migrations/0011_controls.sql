-- What operators hold back or steer. Every instance reads all of it again and again; there are few rows. A version
-- leaves alone what it does not know: kinds and settings are for later versions to add.
CREATE TABLE dipmo_control (
  kind    TEXT    NOT NULL CHECK (length(kind) <= 20),
  name    TEXT    NOT NULL CHECK (length(name) <= 200),
  setting TEXT    NOT NULL CHECK (length(setting) <= 20),
  value   INTEGER,
  actor   TEXT    NOT NULL CHECK (length(actor) <= 200),
  reason  TEXT    NOT NULL CHECK (length(reason) <= 2000),
  since   INTEGER NOT NULL,
  PRIMARY KEY (kind, name, setting)
) STRICT, WITHOUT ROWID;
