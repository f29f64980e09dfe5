-- What was promised, and how often it was kept, by the hour.
CREATE TABLE dipmo_slo (
  hour  INTEGER NOT NULL,
  name  TEXT    NOT NULL CHECK (length(name) <= 50),
  good  INTEGER NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (hour, name)
) STRICT, WITHOUT ROWID;

-- When the message of an intent was received: a delivery is measured from there. An older version leaves it empty.
ALTER TABLE outbox_log ADD COLUMN caused_at INTEGER;
