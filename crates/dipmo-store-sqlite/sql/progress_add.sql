-- Counts records that ended; answers how far their intent is.
UPDATE outbox_progress SET dispatched = dispatched + ?2, failed = failed + ?3 WHERE outbox_id = ?1
RETURNING total, dispatched, failed, retried
