-- The messages of a lane whose time has come, oldest first and before ?4: with ?3 those that were
-- decoded only now, and were never met, and without it all others.
SELECT l.id, l.message_id, l.source_system, l.topic, l.partition_num, l.offset_num, l.key_str,
       l.aggregate_id, l.event_type, l.event_version, l.source_version, l.payload, l.headers,
       l.raw_payload_base64, l.event_ts, l.received_at, l.originals, l.lane,
       e.attempts, e.parked_until, e.status, e.retried
  FROM (SELECT id, attempts, parked_until, status, retried FROM inbox_exception
         WHERE queue = '' AND lane = ?1 AND next_attempt_at <= ?2
           AND (status = 'RECEIVED' AND parked_until IS NULL) = ?3 AND id < ?4
         ORDER BY id LIMIT ?5) e
 CROSS JOIN inbox_log l ON l.id = e.id
