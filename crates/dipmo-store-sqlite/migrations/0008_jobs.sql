-- Jobs: units that a destination takes in bulk and works through by itself. A job holds its lanes until
-- it ends; its units are marked with it. A version that knows nothing of jobs delivers to no destination
-- that has any.
CREATE TABLE outbox_job (
  id          INTEGER PRIMARY KEY,
  destination TEXT    NOT NULL CHECK (length(destination) <= 200),
  phase       TEXT    NOT NULL,
  remote_id   TEXT    CHECK (length(remote_id) <= 255),
  units       INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  phase_at    INTEGER NOT NULL,
  ended_at    INTEGER,
  CONSTRAINT CK_OUTBOX_JOB_PHASE CHECK (phase IN ('SEALED', 'MADE', 'GIVEN', 'ENDED')),
  CONSTRAINT CK_OUTBOX_JOB_ENDED CHECK ((phase = 'ENDED') = (ended_at IS NOT NULL))
) STRICT;
INSERT INTO dipmo_sequence (name, last) VALUES ('job', 0);
CREATE INDEX ix_outbox_job_open ON outbox_job (destination, id) WHERE ended_at IS NULL;

ALTER TABLE outbox_lane ADD COLUMN job_id INTEGER;
ALTER TABLE outbox_ready ADD COLUMN job_id INTEGER;
-- The last unit of a chunk that is in a job.
ALTER TABLE outbox_ready ADD COLUMN job_last INTEGER;
ALTER TABLE outbox_exception ADD COLUMN job_id INTEGER;
-- Always null: the rows of both boxes are written by one statement.
ALTER TABLE inbox_exception ADD COLUMN job_id INTEGER;

CREATE INDEX ix_outbox_ready_job ON outbox_ready (job_id, job_last, id) WHERE job_id IS NOT NULL;
CREATE INDEX ix_outbox_exception_job ON outbox_exception (job_id, id) WHERE job_id IS NOT NULL;
