-- Counts a record that failed and was retried (?2) or given up (?3).
UPDATE outbox_progress
   SET failed = failed - ?2, retried = retried + ?2, skipped = skipped + ?3
 WHERE outbox_id = ?1
