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

-- The views of the outbox again, with JOB_ID: the job that a unit is in.
DROP VIEW OUTBOX_MIN;
DROP VIEW OUTBOX_RECORD;
DROP VIEW OUTBOX;
DROP VIEW outbox_standing;

CREATE VIEW outbox_standing AS
SELECT id, 'PENDING' AS status, 0 AS attempts, NULL AS next_attempt_at, NULL AS dispatched_at,
       NULL AS error_code, NULL AS error_message, NULL AS external_ref, NULL AS held_behind,
       NULL AS outcome, job_id
  FROM outbox_ready
UNION ALL
SELECT e.id, e.status, e.attempts, e.next_attempt_at, iif(e.status = 'DISPATCHED', e.ended_at, NULL),
       e.error_code, e.error_message, e.external_ref, b.head_id, e.outcome, e.job_id
  FROM outbox_exception e
  LEFT JOIN outbox_block b ON e.held = 1 AND b.queue = e.queue AND b.order_key = e.order_key
UNION ALL
SELECT id, 'DISPATCHED', 1, NULL, ended_at, NULL, NULL, external_ref, NULL, NULL, NULL
  FROM outbox_done;

CREATE VIEW OUTBOX AS
SELECT l.id             AS ID,
       l.aggregate_type AS AGGREGATE_TYPE,
       l.aggregate_id   AS AGGREGATE_ID,
       l.event_type     AS EVENT_TYPE,
       l.event_version  AS EVENT_VERSION,
       l.payload        AS PAYLOAD,
       l.headers        AS HEADERS,
       l.destination    AS DESTINATION,
       strftime('%Y-%m-%d %H:%M:%f', l.created_at / 1000 / 1000.0, 'unixepoch')      AS CREATED_AT,
       s.status         AS STATUS,
       s.attempts       AS ATTEMPTS,
       strftime('%Y-%m-%d %H:%M:%f', s.next_attempt_at / 1000 / 1000.0, 'unixepoch') AS NEXT_ATTEMPT_AT,
       s.error_code     AS ERROR_CODE,
       s.error_message  AS ERROR_MESSAGE,
       l.cause_id       AS CAUSE_ID,
       l.reply_process  AS REPLY_PROCESS,
       l.reply_id       AS REPLY_ID,
       s.held_behind    AS HELD_BEHIND,
       s.external_ref   AS EXTERNAL_REF,
       strftime('%Y-%m-%d %H:%M:%f', s.dispatched_at / 1000 / 1000.0, 'unixepoch')   AS DISPATCHED_AT,
       s.total          AS RECORDS,
       s.dispatched     AS RECORDS_DISPATCHED,
       s.failed         AS RECORDS_FAILED,
       s.outcome        AS OUTCOME,
       s.job_id         AS JOB_ID
  FROM (SELECT id, status, attempts, next_attempt_at, dispatched_at, error_code, error_message,
               external_ref, held_behind, NULL AS total, NULL AS dispatched, NULL AS failed, outcome,
               job_id
          FROM outbox_standing
        UNION ALL
        SELECT id, status, 0, NULL, NULL, NULL, NULL, NULL, NULL, total, dispatched, failed, outcome,
               NULL
          FROM outbox_gathered) s
  JOIN outbox_log l ON l.id = s.id;

CREATE VIEW OUTBOX_MIN AS
SELECT ID, DESTINATION, PAYLOAD, STATUS, NEXT_ATTEMPT_AT, ATTEMPTS
  FROM OUTBOX;

CREATE VIEW OUTBOX_RECORD AS
SELECT r.id            AS ID,
       r.outbox_id     AS OUTBOX_ID,
       r.destination   AS DESTINATION,
       r.record_key    AS RECORD_KEY,
       s.status        AS STATUS,
       s.attempts      AS ATTEMPTS,
       strftime('%Y-%m-%d %H:%M:%f', s.next_attempt_at / 1000 / 1000.0, 'unixepoch') AS NEXT_ATTEMPT_AT,
       s.error_code    AS ERROR_CODE,
       s.error_message AS ERROR_MESSAGE,
       s.external_ref  AS EXTERNAL_REF,
       s.held_behind   AS HELD_BEHIND,
       strftime('%Y-%m-%d %H:%M:%f', s.dispatched_at / 1000 / 1000.0, 'unixepoch')   AS DISPATCHED_AT,
       strftime('%Y-%m-%d %H:%M:%f', r.created_at / 1000 / 1000.0, 'unixepoch')      AS CREATED_AT,
       s.outcome       AS OUTCOME,
       s.job_id        AS JOB_ID
  FROM outbox_standing s JOIN outbox_record_log r ON r.id = s.id;
