-- What operators must know: which messages nobody waits for any more.
CREATE INDEX ix_inbox_exception_passed_over ON inbox_exception (queue, order_key, id)
  WHERE status = 'FAILED' OR outcome = 'SKIPPED';
