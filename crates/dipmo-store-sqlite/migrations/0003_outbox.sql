-- The OUTBOX in parts, of the same shape as the INBOX.

CREATE TABLE outbox_log (
  id             INTEGER PRIMARY KEY,
  aggregate_type TEXT    NOT NULL CHECK (length(aggregate_type) <= 50),
  aggregate_id   TEXT    NOT NULL CHECK (length(aggregate_id) <= 200),
  event_type     TEXT    NOT NULL CHECK (length(event_type) <= 200),
  event_version  INTEGER NOT NULL,
  destination    TEXT    NOT NULL CHECK (length(destination) <= 200),
  created_at     INTEGER NOT NULL,
  cause_id       INTEGER,
  reply_process  TEXT,
  reply_id       TEXT,
  headers        TEXT    CHECK (json_valid(headers)),
  payload        TEXT    NOT NULL CHECK (json_valid(payload))
) STRICT;

CREATE INDEX IX_OUTBOX_AGG ON outbox_log (aggregate_type, aggregate_id);
CREATE INDEX ix_outbox_created_at ON outbox_log (created_at);

-- One for each record of an intent that names records; its id is the unit of delivery.
CREATE TABLE outbox_record_log (
  id          INTEGER PRIMARY KEY,
  created_at  INTEGER NOT NULL,
  outbox_id   INTEGER NOT NULL,
  destination TEXT    NOT NULL,
  record_key  TEXT    NOT NULL
) STRICT;

CREATE INDEX ix_outbox_record_log_outbox_id ON outbox_record_log (outbox_id);

CREATE TABLE outbox_ready (
  queue TEXT    NOT NULL,
  lane  INTEGER NOT NULL,
  chunk INTEGER NOT NULL,
  id    INTEGER NOT NULL,
  PRIMARY KEY (queue, lane, chunk, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox_exception (
  id              INTEGER PRIMARY KEY,
  logged_at       INTEGER NOT NULL,
  queue           TEXT    NOT NULL,
  lane            INTEGER NOT NULL,
  order_key       TEXT,
  status          TEXT    NOT NULL,
  attempts        INTEGER NOT NULL,
  next_attempt_at INTEGER,
  ended_at        INTEGER,
  held            INTEGER NOT NULL,
  parked_until    INTEGER,
  outcome         TEXT,
  error_stage     TEXT    CHECK (length(error_stage) <= 50),
  error_code      TEXT    CHECK (length(error_code) <= 200),
  error_message   TEXT    CHECK (length(error_message) <= 2000),
  external_ref    TEXT,
  CONSTRAINT CK_OUTBOX_STATUS CHECK (status IN ('PENDING', 'DISPATCHED', 'FAILED'))
) STRICT;

CREATE INDEX IX_OUTBOX_PENDING ON outbox_exception (status, next_attempt_at);
CREATE INDEX ix_outbox_exception_due ON outbox_exception (queue, lane, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;
CREATE INDEX ix_outbox_exception_held ON outbox_exception (queue, order_key, id) WHERE held = 1;

CREATE TABLE outbox_block (
  queue       TEXT    NOT NULL,
  order_key   TEXT    NOT NULL,
  lane        INTEGER NOT NULL,
  head_id     INTEGER NOT NULL,
  released_to INTEGER,
  PRIMARY KEY (queue, order_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_outbox_block_releasing ON outbox_block (released_to)
  WHERE released_to IS NOT NULL;

CREATE TABLE outbox_done (
  id           INTEGER PRIMARY KEY,
  ended_at     INTEGER NOT NULL,
  outcome      TEXT,
  external_ref TEXT
) STRICT;

-- Every lane that ever had a unit, and who delivers it.
CREATE TABLE outbox_lane (
  destination TEXT    NOT NULL,
  lane        INTEGER NOT NULL,
  owner       TEXT,
  epoch       INTEGER NOT NULL,
  lease_until INTEGER,
  PRIMARY KEY (destination, lane)
) STRICT, WITHOUT ROWID;

-- How many units of an intent with records have ended.
CREATE TABLE outbox_progress (
  outbox_id  INTEGER PRIMARY KEY,
  total      INTEGER NOT NULL,
  dispatched INTEGER NOT NULL,
  failed     INTEGER NOT NULL
) STRICT;
