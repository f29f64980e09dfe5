-- The units of a job behind ?2 that have rows of their own, and whether each can be ready again: it was
-- never tried, and got its row in the job. One that its key waits for stays its head.
SELECT e.id, e.queue, e.lane,
       e.next_attempt_at IS NULL AND e.attempts + e.retried = 0 AND NOT EXISTS (
         SELECT 1 FROM outbox_block b
          WHERE b.queue = e.queue AND b.order_key = e.order_key AND b.head_id = e.id)
  FROM outbox_exception e INDEXED BY ix_outbox_exception_job
 WHERE e.job_id = ?1 AND e.id > ?2
