-- A unit that waits for another attempt: where it is, and how often it was tried.
SELECT queue, lane, attempts FROM outbox_exception WHERE id = ?1 AND status = 'PENDING' AND held = 0
