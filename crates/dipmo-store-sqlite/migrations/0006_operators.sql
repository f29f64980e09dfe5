-- What operators did: how often something that failed was retried, and what was given up.

ALTER TABLE inbox_exception ADD COLUMN retried INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox_exception ADD COLUMN retried INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox_progress ADD COLUMN retried INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox_progress ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0;

-- The views of the outbox again, with OUTCOME: SKIPPED is what failed and was given up.
DROP VIEW OUTBOX_MIN;
DROP VIEW OUTBOX_RECORD;
DROP VIEW OUTBOX;
DROP VIEW outbox_gathered;
DROP VIEW outbox_standing;

CREATE VIEW outbox_standing AS
SELECT id, 'PENDING' AS status, 0 AS attempts, NULL AS next_attempt_at, NULL AS dispatched_at,
       NULL AS error_code, NULL AS error_message, NULL AS external_ref, NULL AS held_behind,
       NULL AS outcome
  FROM outbox_ready
UNION ALL
SELECT e.id, e.status, e.attempts, e.next_attempt_at, iif(e.status = 'DISPATCHED', e.ended_at, NULL),
       e.error_code, e.error_message, e.external_ref, b.head_id, e.outcome
  FROM outbox_exception e
  LEFT JOIN outbox_block b ON e.held = 1 AND b.queue = e.queue AND b.order_key = e.order_key
UNION ALL
SELECT id, 'DISPATCHED', 1, NULL, ended_at, NULL, NULL, external_ref, NULL, NULL
  FROM outbox_done;

CREATE VIEW outbox_gathered AS
SELECT outbox_id AS id,
       CASE WHEN dispatched + failed < total THEN 'PENDING'
            WHEN failed > 0 THEN 'FAILED'
            ELSE 'DISPATCHED' END AS status,
       total, dispatched, failed,
       CASE WHEN failed > 0 AND failed = skipped THEN 'SKIPPED' END AS outcome
  FROM outbox_progress;

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
       s.outcome        AS OUTCOME
  FROM (SELECT id, status, attempts, next_attempt_at, dispatched_at, error_code, error_message,
               external_ref, held_behind, NULL AS total, NULL AS dispatched, NULL AS failed, outcome
          FROM outbox_standing
        UNION ALL
        SELECT id, status, 0, NULL, NULL, NULL, NULL, NULL, NULL, total, dispatched, failed, outcome
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
       s.outcome       AS OUTCOME
  FROM outbox_standing s JOIN outbox_record_log r ON r.id = s.id;

-- Where messages stand again: one that cannot be decoded may stand in line as the head of it, and
-- waits for nobody then.
DROP VIEW inbox_standing;
CREATE VIEW inbox_standing AS
SELECT id, 'RECEIVED' AS status, 0 AS attempts, NULL AS next_attempt_at, NULL AS ended_at,
       NULL AS error_code, NULL AS error_message, NULL AS error_stage, NULL AS outcome,
       NULL AS held_behind
  FROM inbox_ready
UNION ALL
SELECT e.id, e.status, e.attempts, e.next_attempt_at, e.ended_at,
       e.error_code, e.error_message, e.error_stage, e.outcome, b.head_id
  FROM inbox_exception e
  LEFT JOIN inbox_block b
         ON e.held = 1 AND b.queue = e.queue AND b.order_key = e.order_key AND b.head_id <> e.id
UNION ALL
SELECT id, 'PROCESSED', 1, NULL, ended_at, NULL, NULL, NULL, outcome, NULL
  FROM inbox_done;
