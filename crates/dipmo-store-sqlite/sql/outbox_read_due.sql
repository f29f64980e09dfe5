-- The units of a lane whose time has come, oldest first.
SELECT e.id, k.outbox_id, k.record_key, e.attempts, e.retried
  FROM outbox_exception e LEFT JOIN outbox_record_log k ON k.id = e.id
 WHERE e.queue = ?1 AND e.lane = ?2 AND e.next_attempt_at <= ?3
 ORDER BY e.id LIMIT ?4
