-- Puts a chunk into a job. It stands there by its last unit: those of it that stay in the job when it is
-- settled have rows of their own then, and must not come again behind a mark that the chunk was before.
UPDATE outbox_ready
   SET job_id = ?4,
       job_last = (SELECT max(c.id) FROM outbox_ready c WHERE c.queue = ?1 AND c.lane = ?2 AND c.chunk = ?3)
 WHERE queue = ?1 AND lane = ?2 AND chunk = ?3
