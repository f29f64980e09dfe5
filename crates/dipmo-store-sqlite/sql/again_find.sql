-- A unit that waits for another attempt: where it is, how often it was tried, and how often an
-- operator retried it.
SELECT queue, lane, attempts, retried FROM outbox_exception WHERE id = ?1 AND status = 'PENDING' AND held = 0
