-- The definitions of processes that were ever installed, as far as their states go, in the order in
-- which they came: what tells a state that is gone from one of a newer version.

CREATE TABLE dipmo_definition (
  process      TEXT    NOT NULL,
  generation   INTEGER NOT NULL,
  states       TEXT    NOT NULL,
  settled      INTEGER NOT NULL,
  installed_at INTEGER NOT NULL,
  PRIMARY KEY (process, generation)
) STRICT;
