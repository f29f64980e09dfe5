-- Who does what one instance does for all, and the lots that history is archived in. Nothing of it is on the straight
-- path of a message.

CREATE TABLE dipmo_duty (
  name        TEXT    PRIMARY KEY CHECK (length(name) <= 50),
  owner       TEXT    CHECK (length(owner) <= 200),
  epoch       INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER,
  asked_at    INTEGER,
  trouble     TEXT    CHECK (length(trouble) <= 2000)
) STRICT, WITHOUT ROWID;

CREATE TABLE dipmo_lot (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  side           TEXT    NOT NULL,
  month          INTEGER NOT NULL,
  state          TEXT    NOT NULL,
  aside_at       INTEGER NOT NULL,
  archived_at    INTEGER,
  dropped_at     INTEGER,
  directory      TEXT    CHECK (length(directory) <= 200),
  manifest       TEXT    CHECK (length(manifest) <= 64),
  row_count      INTEGER,
  record_count   INTEGER,
  file_count     INTEGER,
  byte_count     INTEGER,
  wish           TEXT,
  hold           INTEGER,
  checked_at     INTEGER,
  problem        TEXT    CHECK (length(problem) <= 2000),
  restored_at    INTEGER,
  restored_until INTEGER,
  CONSTRAINT CK_DIPMO_LOT_STATE CHECK (state IN ('FILLING', 'ASIDE', 'ARCHIVED', 'DROPPED')),
  CONSTRAINT CK_DIPMO_LOT_FILES CHECK ((directory IS NOT NULL) = (state IN ('ARCHIVED', 'DROPPED')))
) STRICT;
-- One is on its way.
CREATE UNIQUE INDEX ux_dipmo_lot_open ON dipmo_lot ((1)) WHERE state <> 'DROPPED';
CREATE INDEX ix_dipmo_lot_wish ON dipmo_lot (id) WHERE wish IS NOT NULL;
CREATE INDEX ix_dipmo_lot_restored ON dipmo_lot (restored_until) WHERE restored_until IS NOT NULL;

-- What is in the lots that are on their way: ids of messages or of intents. A file has no partitions that could be
-- set aside as a whole.
CREATE TABLE dipmo_lot_row (
  lot_id INTEGER NOT NULL,
  id     INTEGER NOT NULL,
  PRIMARY KEY (lot_id, id)
) STRICT, WITHOUT ROWID;
