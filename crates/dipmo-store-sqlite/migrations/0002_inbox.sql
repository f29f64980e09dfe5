-- The INBOX in parts. Times are microseconds since 1970; lengths are checked because SQLite does
-- not heed the n of VARCHAR(n). json_valid takes everything that dipmo takes for JSON: \u0000, lone
-- surrogates, numbers beyond a double, duplicate keys (tests/bytes.rs).

-- Written once, never updated. What may be large stands last: columns behind it are slow to reach.
CREATE TABLE inbox_log (
  id                 INTEGER PRIMARY KEY,
  message_id         TEXT    NOT NULL CHECK (length(message_id) <= 200),
  source_system      TEXT    NOT NULL CHECK (length(source_system) <= 100),
  topic              TEXT    NOT NULL CHECK (length(topic) <= 200),
  partition_num      INTEGER NOT NULL,
  offset_num         INTEGER NOT NULL,
  aggregate_id       TEXT    CHECK (length(aggregate_id) <= 200),
  event_type         TEXT    CHECK (length(event_type) <= 200),
  event_ts           INTEGER,
  received_at        INTEGER NOT NULL,
  event_version      INTEGER,
  source_version     INTEGER,
  lane               INTEGER NOT NULL,
  key_str            TEXT    CHECK (length(key_str) <= 4000),
  originals          TEXT    CHECK (json_valid(originals)),
  headers            TEXT    CHECK (json_valid(headers)),
  payload            TEXT    CHECK (json_valid(payload)),
  raw_payload_base64 TEXT,
  CONSTRAINT CK_INBOX_PAYLOAD_OR_RAW CHECK (payload IS NOT NULL OR raw_payload_base64 IS NOT NULL)
) STRICT;

CREATE INDEX IX_INBOX_AGG ON inbox_log (aggregate_id);
CREATE INDEX IX_INBOX_RECEIVED_AT ON inbox_log (received_at);

-- Outlives the log: a message is known again long after its history was dropped.
CREATE TABLE inbox_dedupe (
  key         BLOB    NOT NULL,
  content     INTEGER NOT NULL,
  inbox_id    INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  CONSTRAINT ux_inbox_dedupe PRIMARY KEY (key)
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_inbox_dedupe_received_at ON inbox_dedupe (received_at, inbox_id);

-- Not tried yet. The queue of the inbox is always ''; that of the outbox is the destination.
CREATE TABLE inbox_ready (
  queue TEXT    NOT NULL,
  lane  INTEGER NOT NULL,
  chunk INTEGER NOT NULL,
  id    INTEGER NOT NULL,
  PRIMARY KEY (queue, lane, chunk, id)
) STRICT, WITHOUT ROWID;

-- Left the straight path. Only rows that can be claimed have a next_attempt_at.
CREATE TABLE inbox_exception (
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
  CONSTRAINT CK_INBOX_STATUS
    CHECK (status IN ('RECEIVED', 'RETRY', 'FAILED', 'PROCESSED', 'SERDE_ERROR'))
) STRICT;

CREATE INDEX IX_INBOX_STATUS_DUE ON inbox_exception (status, next_attempt_at);
CREATE INDEX ix_inbox_exception_due ON inbox_exception (queue, lane, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;
CREATE INDEX ix_inbox_exception_held ON inbox_exception (queue, order_key, id) WHERE held = 1;
CREATE INDEX ix_inbox_exception_parked ON inbox_exception (queue, order_key)
  WHERE parked_until IS NOT NULL;

-- An order key that waits for its head; released_to says that the head ended, and how far those
-- behind it were let go.
CREATE TABLE inbox_block (
  queue       TEXT    NOT NULL,
  order_key   TEXT    NOT NULL,
  lane        INTEGER NOT NULL,
  head_id     INTEGER NOT NULL,
  released_to INTEGER,
  PRIMARY KEY (queue, order_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX ix_inbox_block_releasing ON inbox_block (released_to) WHERE released_to IS NOT NULL;

-- Ended at the first attempt.
CREATE TABLE inbox_done (
  id           INTEGER PRIMARY KEY,
  ended_at     INTEGER NOT NULL,
  outcome      TEXT,
  external_ref TEXT
) STRICT;

-- Came with the id of another message and a different content.
CREATE TABLE inbox_incident (
  id                 INTEGER PRIMARY KEY,
  inbox_id           INTEGER NOT NULL,
  source_system      TEXT    NOT NULL,
  message_id         TEXT    NOT NULL,
  topic              TEXT    NOT NULL,
  partition_num      INTEGER NOT NULL,
  offset_num         INTEGER NOT NULL,
  payload            TEXT,
  raw_payload_base64 TEXT,
  received_at        INTEGER NOT NULL
) STRICT;

-- Where each consumer goes on.
CREATE TABLE inbox_offset (
  consumer_group TEXT    NOT NULL,
  topic          TEXT    NOT NULL,
  partition_num  INTEGER NOT NULL,
  topic_id       BLOB,
  next_offset    INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  PRIMARY KEY (consumer_group, topic, partition_num)
) STRICT, WITHOUT ROWID;
