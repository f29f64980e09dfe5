-- Brings a job into a phase. Its remote id is forgotten with the job that it was made for.
UPDATE outbox_job
   SET phase = ?2, phase_at = ?4, ended_at = iif(?2 = 'ENDED', ?4, NULL),
       remote_id = iif(?2 = 'SEALED', NULL, coalesce(?3, remote_id))
 WHERE id = ?1
