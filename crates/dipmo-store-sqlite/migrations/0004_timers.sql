-- Timers of process instances.

CREATE TABLE process_timer (
  process      TEXT    NOT NULL,
  instance_id  TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  aggregate_id TEXT    NOT NULL,
  event_type   TEXT    NOT NULL,
  payload      TEXT    NOT NULL CHECK (json_valid(payload)),
  due_at       INTEGER NOT NULL,
  PRIMARY KEY (process, instance_id, name)
) STRICT;

CREATE INDEX ix_process_timer_due ON process_timer (due_at);
