-- Aggregates of which everything was blanked, so that what is restored from archives later is blanked as well.
CREATE TABLE dipmo_erased (
  aggregate_id TEXT    PRIMARY KEY CHECK (length(aggregate_id) <= 200),
  erased_at    INTEGER NOT NULL,
  actor        TEXT    NOT NULL CHECK (length(actor) <= 200)
) STRICT, WITHOUT ROWID;

-- Whom a message was about that came with the id of another one: that one may be of another aggregate, or forgotten.
ALTER TABLE inbox_incident ADD COLUMN aggregate_id TEXT;
