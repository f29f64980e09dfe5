-- The relations of the seeds: their columns in their order, then ours. Times are text that compares
-- with CURRENT_TIMESTAMP. Where a row stands comes first in each join, so that a query by STATUS
-- reads the few rows that have it and not the log.

CREATE VIEW inbox_standing AS
SELECT id, 'RECEIVED' AS status, 0 AS attempts, NULL AS next_attempt_at, NULL AS ended_at,
       NULL AS error_code, NULL AS error_message, NULL AS error_stage, NULL AS outcome,
       NULL AS held_behind
  FROM inbox_ready
UNION ALL
SELECT e.id, e.status, e.attempts, e.next_attempt_at, e.ended_at,
       e.error_code, e.error_message, e.error_stage, e.outcome, b.head_id
  FROM inbox_exception e
  LEFT JOIN inbox_block b ON e.held = 1 AND b.queue = e.queue AND b.order_key = e.order_key
UNION ALL
SELECT id, 'PROCESSED', 1, NULL, ended_at, NULL, NULL, NULL, outcome, NULL
  FROM inbox_done;

CREATE VIEW INBOX AS
SELECT l.id                 AS ID,
       l.message_id         AS MESSAGE_ID,
       l.source_system      AS SOURCE_SYSTEM,
       l.topic              AS TOPIC,
       l.partition_num      AS PARTITION_NUM,
       l.offset_num         AS OFFSET_NUM,
       l.key_str            AS KEY_STR,
       l.aggregate_id       AS AGGREGATE_ID,
       l.event_type         AS EVENT_TYPE,
       l.payload            AS PAYLOAD,
       l.headers            AS HEADERS,
       l.raw_payload_base64 AS RAW_PAYLOAD_BASE64,
       strftime('%Y-%m-%d %H:%M:%f', l.event_ts / 1000 / 1000.0, 'unixepoch')        AS EVENT_TS,
       strftime('%Y-%m-%d %H:%M:%f', l.received_at / 1000 / 1000.0, 'unixepoch')     AS RECEIVED_AT,
       s.status             AS STATUS,
       s.attempts           AS ATTEMPTS,
       strftime('%Y-%m-%d %H:%M:%f', s.next_attempt_at / 1000 / 1000.0, 'unixepoch') AS NEXT_ATTEMPT_AT,
       strftime('%Y-%m-%d %H:%M:%f', s.ended_at / 1000 / 1000.0, 'unixepoch')        AS PROCESSED_AT,
       s.error_code         AS ERROR_CODE,
       s.error_message      AS ERROR_MESSAGE,
       s.error_stage        AS ERROR_STAGE,
       s.outcome            AS OUTCOME,
       s.held_behind        AS HELD_BEHIND,
       l.lane               AS LANE,
       l.event_version      AS EVENT_VERSION,
       l.source_version     AS SOURCE_VERSION,
       l.originals          AS ORIGINALS
  FROM inbox_standing s JOIN inbox_log l ON l.id = s.id;

CREATE VIEW INBOX_MIN AS
SELECT ID, MESSAGE_ID, SOURCE_SYSTEM, PAYLOAD, RAW_PAYLOAD_BASE64, STATUS, NEXT_ATTEMPT_AT, ATTEMPTS
  FROM INBOX;

-- Where units stand: intents without records, and records.
CREATE VIEW outbox_standing AS
SELECT id, 'PENDING' AS status, 0 AS attempts, NULL AS next_attempt_at, NULL AS ended_at,
       NULL AS error_code, NULL AS error_message, NULL AS external_ref, NULL AS held_behind
  FROM outbox_ready
UNION ALL
SELECT e.id, e.status, e.attempts, e.next_attempt_at, e.ended_at,
       e.error_code, e.error_message, e.external_ref, b.head_id
  FROM outbox_exception e
  LEFT JOIN outbox_block b ON e.held = 1 AND b.queue = e.queue AND b.order_key = e.order_key
UNION ALL
SELECT id, 'DISPATCHED', 1, NULL, ended_at, NULL, NULL, external_ref, NULL
  FROM outbox_done;

-- Where intents with records stand: pending while a record is, failed when one is. How often each
-- record was tried, and what became of it, is in OUTBOX_RECORD.
CREATE VIEW outbox_gathered AS
SELECT outbox_id AS id,
       CASE WHEN dispatched + failed < total THEN 'PENDING'
            WHEN failed > 0 THEN 'FAILED'
            ELSE 'DISPATCHED' END AS status,
       total, dispatched, failed
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
       strftime('%Y-%m-%d %H:%M:%f', s.ended_at / 1000 / 1000.0, 'unixepoch')        AS DISPATCHED_AT,
       s.total          AS RECORDS,
       s.dispatched     AS RECORDS_DISPATCHED,
       s.failed         AS RECORDS_FAILED
  FROM (SELECT id, status, attempts, next_attempt_at, ended_at, error_code, error_message,
               external_ref, held_behind, NULL AS total, NULL AS dispatched, NULL AS failed
          FROM outbox_standing
        UNION ALL
        SELECT id, status, 0, NULL, NULL, NULL, NULL, NULL, NULL, total, dispatched, failed
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
       strftime('%Y-%m-%d %H:%M:%f', s.ended_at / 1000 / 1000.0, 'unixepoch')        AS DISPATCHED_AT,
       strftime('%Y-%m-%d %H:%M:%f', r.created_at / 1000 / 1000.0, 'unixepoch')      AS CREATED_AT
  FROM outbox_standing s JOIN outbox_record_log r ON r.id = s.id;
