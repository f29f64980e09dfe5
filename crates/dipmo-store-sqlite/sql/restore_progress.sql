-- How many records of an intent have ended, from the line of an archive.
INSERT INTO outbox_progress (outbox_id, total, dispatched, failed, retried, skipped)
SELECT ?1 ->> 'id', ?1 ->> '$.progress.total', ?1 ->> '$.progress.dispatched', ?1 ->> '$.progress.failed',
       ?1 ->> '$.progress.retried', ?1 ->> '$.progress.skipped'
 WHERE ?1 ->> '$.progress.total' IS NOT NULL
ON CONFLICT (outbox_id) DO NOTHING
