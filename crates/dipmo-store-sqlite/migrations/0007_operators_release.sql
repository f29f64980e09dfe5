-- What operators must know: which later message or unit of its key went on without one that failed,
-- and which messages nobody waits for any more.
ALTER TABLE inbox_exception ADD COLUMN overtaken_by INTEGER;
ALTER TABLE outbox_exception ADD COLUMN overtaken_by INTEGER;

CREATE INDEX ix_inbox_exception_failed ON inbox_exception (queue, order_key, id)
  WHERE status = 'FAILED' AND overtaken_by IS NULL AND outcome IS NULL;
CREATE INDEX ix_outbox_exception_failed ON outbox_exception (queue, order_key, id)
  WHERE status = 'FAILED' AND overtaken_by IS NULL AND outcome IS NULL;
CREATE INDEX ix_inbox_exception_passed_over ON inbox_exception (queue, order_key, id)
  WHERE status = 'FAILED' OR outcome = 'SKIPPED';

-- What waits in the outbox, without what was given up.
CREATE INDEX ix_outbox_exception_open ON outbox_exception (queue)
  WHERE status IN ('PENDING', 'FAILED') AND outcome IS NULL;

-- Messages without an aggregate are found by their key. A row is in this index or has a value in
-- IX_INBOX_AGG, so that none costs more than one.
CREATE INDEX IX_INBOX_KEY ON inbox_log (key_str) WHERE aggregate_id IS NULL AND key_str IS NOT NULL;
