-- What operators need beside the messages: groups of failures, operations, the audit, tokens, instances.
-- Nothing of it is on the straight path of a message.

-- Lists by status, and by the group of the last failure.
ALTER TABLE inbox_exception ADD COLUMN fingerprint INTEGER;
ALTER TABLE outbox_exception ADD COLUMN fingerprint INTEGER;
CREATE INDEX ix_inbox_exception_listed ON inbox_exception (status, id);
CREATE INDEX ix_outbox_exception_listed ON outbox_exception (status, id);
CREATE INDEX ix_inbox_exception_fingerprint ON inbox_exception (fingerprint, id) WHERE fingerprint IS NOT NULL;
CREATE INDEX ix_outbox_exception_fingerprint ON outbox_exception (fingerprint, id) WHERE fingerprint IS NOT NULL;

-- What a message caused.
CREATE INDEX ix_outbox_log_cause ON outbox_log (cause_id) WHERE cause_id IS NOT NULL;

-- There is one writer, so the counts stand in the rows of the groups, and nothing is left to be put together.
CREATE TABLE dipmo_failure_group (
  fingerprint INTEGER PRIMARY KEY,
  side        TEXT    NOT NULL,
  stage       TEXT,
  code        TEXT    NOT NULL CHECK (length(code) <= 200),
  pattern     TEXT    NOT NULL CHECK (length(pattern) <= 500),
  failed      INTEGER NOT NULL DEFAULT 0,
  retrying    INTEGER NOT NULL DEFAULT 0,
  first_seen  INTEGER NOT NULL,
  last_seen   INTEGER NOT NULL,
  sample_id   INTEGER NOT NULL
) STRICT;

-- A row counts in its group while it has a failure and has not ended, by its own end or given up: as failed when
-- it waits for a person, else as retrying. Whatever changes a row changes the counts, history and operators too.
CREATE TRIGGER inbox_failure_comes AFTER INSERT ON inbox_exception
WHEN NEW.fingerprint IS NOT NULL AND NEW.outcome IS NULL AND NEW.status <> 'PROCESSED'
BEGIN
  UPDATE dipmo_failure_group
     SET failed = failed + (NEW.status IN ('FAILED', 'SERDE_ERROR')),
         retrying = retrying + (NEW.status NOT IN ('FAILED', 'SERDE_ERROR'))
   WHERE fingerprint = NEW.fingerprint;
END;
CREATE TRIGGER inbox_failure_goes AFTER DELETE ON inbox_exception
WHEN OLD.fingerprint IS NOT NULL AND OLD.outcome IS NULL AND OLD.status <> 'PROCESSED'
BEGIN
  UPDATE dipmo_failure_group
     SET failed = failed - (OLD.status IN ('FAILED', 'SERDE_ERROR')),
         retrying = retrying - (OLD.status NOT IN ('FAILED', 'SERDE_ERROR'))
   WHERE fingerprint = OLD.fingerprint;
END;
CREATE TRIGGER inbox_failure_leaves AFTER UPDATE OF fingerprint, status, outcome ON inbox_exception
WHEN OLD.fingerprint IS NOT NULL AND OLD.outcome IS NULL AND OLD.status <> 'PROCESSED'
 AND (NEW.fingerprint, NEW.status, NEW.outcome) IS NOT (OLD.fingerprint, OLD.status, OLD.outcome)
BEGIN
  UPDATE dipmo_failure_group
     SET failed = failed - (OLD.status IN ('FAILED', 'SERDE_ERROR')),
         retrying = retrying - (OLD.status NOT IN ('FAILED', 'SERDE_ERROR'))
   WHERE fingerprint = OLD.fingerprint;
END;
CREATE TRIGGER inbox_failure_enters AFTER UPDATE OF fingerprint, status, outcome ON inbox_exception
WHEN NEW.fingerprint IS NOT NULL AND NEW.outcome IS NULL AND NEW.status <> 'PROCESSED'
 AND (NEW.fingerprint, NEW.status, NEW.outcome) IS NOT (OLD.fingerprint, OLD.status, OLD.outcome)
BEGIN
  UPDATE dipmo_failure_group
     SET failed = failed + (NEW.status IN ('FAILED', 'SERDE_ERROR')),
         retrying = retrying + (NEW.status NOT IN ('FAILED', 'SERDE_ERROR'))
   WHERE fingerprint = NEW.fingerprint;
END;
CREATE TRIGGER outbox_failure_comes AFTER INSERT ON outbox_exception
WHEN NEW.fingerprint IS NOT NULL AND NEW.outcome IS NULL AND NEW.status <> 'DISPATCHED'
BEGIN
  UPDATE dipmo_failure_group
     SET failed = failed + (NEW.status IN ('FAILED', 'SERDE_ERROR')),
         retrying = retrying + (NEW.status NOT IN ('FAILED', 'SERDE_ERROR'))
   WHERE fingerprint = NEW.fingerprint;
END;
CREATE TRIGGER outbox_failure_goes AFTER DELETE ON outbox_exception
WHEN OLD.fingerprint IS NOT NULL AND OLD.outcome IS NULL AND OLD.status <> 'DISPATCHED'
BEGIN
  UPDATE dipmo_failure_group
     SET failed = failed - (OLD.status IN ('FAILED', 'SERDE_ERROR')),
         retrying = retrying - (OLD.status NOT IN ('FAILED', 'SERDE_ERROR'))
   WHERE fingerprint = OLD.fingerprint;
END;
CREATE TRIGGER outbox_failure_leaves AFTER UPDATE OF fingerprint, status, outcome ON outbox_exception
WHEN OLD.fingerprint IS NOT NULL AND OLD.outcome IS NULL AND OLD.status <> 'DISPATCHED'
 AND (NEW.fingerprint, NEW.status, NEW.outcome) IS NOT (OLD.fingerprint, OLD.status, OLD.outcome)
BEGIN
  UPDATE dipmo_failure_group
     SET failed = failed - (OLD.status IN ('FAILED', 'SERDE_ERROR')),
         retrying = retrying - (OLD.status NOT IN ('FAILED', 'SERDE_ERROR'))
   WHERE fingerprint = OLD.fingerprint;
END;
CREATE TRIGGER outbox_failure_enters AFTER UPDATE OF fingerprint, status, outcome ON outbox_exception
WHEN NEW.fingerprint IS NOT NULL AND NEW.outcome IS NULL AND NEW.status <> 'DISPATCHED'
 AND (NEW.fingerprint, NEW.status, NEW.outcome) IS NOT (OLD.fingerprint, OLD.status, OLD.outcome)
BEGIN
  UPDATE dipmo_failure_group
     SET failed = failed + (NEW.status IN ('FAILED', 'SERDE_ERROR')),
         retrying = retrying + (NEW.status NOT IN ('FAILED', 'SERDE_ERROR'))
   WHERE fingerprint = NEW.fingerprint;
END;

CREATE TABLE dipmo_operation (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  act         TEXT    NOT NULL,
  side        TEXT    NOT NULL,
  forced      INTEGER NOT NULL,
  per_second  INTEGER,
  actor       TEXT    NOT NULL CHECK (length(actor) <= 200),
  reason      TEXT    NOT NULL CHECK (length(reason) <= 2000),
  created_at  INTEGER NOT NULL,
  ended_at    INTEGER,
  state       TEXT    NOT NULL DEFAULT 'RUNNING',
  items       INTEGER NOT NULL,
  met         INTEGER NOT NULL DEFAULT 0,
  done        INTEGER NOT NULL DEFAULT 0,
  owner       TEXT,
  epoch       INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER,
  CONSTRAINT CK_DIPMO_OPERATION_STATE CHECK (state IN ('RUNNING', 'PAUSED', 'CANCELLED', 'ENDED')),
  CONSTRAINT CK_DIPMO_OPERATION_ENDED CHECK ((ended_at IS NOT NULL) = (state IN ('CANCELLED', 'ENDED')))
) STRICT;
CREATE INDEX ix_dipmo_operation_running ON dipmo_operation (id) WHERE state = 'RUNNING';

-- What an operation is about, each as it stood when the operation began.
CREATE TABLE dipmo_operation_item (
  operation_id INTEGER NOT NULL,
  id           INTEGER NOT NULL,
  status       TEXT,
  attempts     INTEGER,
  retried      INTEGER,
  result       TEXT,
  PRIMARY KEY (operation_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ix_dipmo_operation_item_open ON dipmo_operation_item (operation_id, id) WHERE result IS NULL;

CREATE TABLE dipmo_audit (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  at     INTEGER NOT NULL,
  actor  TEXT    NOT NULL CHECK (length(actor) <= 200),
  role   TEXT    NOT NULL CHECK (length(role) <= 20),
  action TEXT    NOT NULL CHECK (length(action) <= 100),
  target TEXT    NOT NULL CHECK (length(target) <= 400),
  reason TEXT    NOT NULL CHECK (length(reason) <= 2000),
  detail TEXT    NOT NULL CHECK (json_valid(detail))
) STRICT;
CREATE TRIGGER dipmo_audit_not_changed BEFORE UPDATE ON dipmo_audit
BEGIN SELECT raise(ABORT, 'the audit is only ever added to'); END;
CREATE TRIGGER dipmo_audit_not_deleted BEFORE DELETE ON dipmo_audit
BEGIN SELECT raise(ABORT, 'the audit is only ever added to'); END;

CREATE TABLE dipmo_token (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT    NOT NULL CHECK (length(name) <= 200),
  role       TEXT    NOT NULL CHECK (length(role) <= 20),
  hash       BLOB    NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  CONSTRAINT UX_DIPMO_TOKEN_HASH UNIQUE (hash)
) STRICT;
CREATE UNIQUE INDEX ux_dipmo_token_name ON dipmo_token (name) WHERE revoked_at IS NULL;

CREATE TABLE dipmo_instance (
  name       TEXT    PRIMARY KEY CHECK (length(name) <= 200),
  version    TEXT    NOT NULL CHECK (length(version) <= 50),
  roles      TEXT    NOT NULL CHECK (length(roles) <= 100),
  report     TEXT    NOT NULL CHECK (json_valid(report)),
  started_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
