-- The records of an intent that failed, and why.
SELECT k.record_key, e.error_code, e.error_message
  FROM outbox_record_log k CROSS JOIN outbox_exception e ON e.id = k.id
 WHERE k.outbox_id = ?1 AND e.status = 'FAILED' ORDER BY k.id LIMIT ?2
