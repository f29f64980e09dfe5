-- An intent, read once however many of its records are read.
SELECT aggregate_type, aggregate_id, event_type, event_version, payload, headers, created_at,
       cause_id, reply_process, reply_id, caused_at
  FROM outbox_log WHERE id = ?1
