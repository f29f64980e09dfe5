-- Jobs for people: those that have not ended, then the newest that have.
SELECT id, destination, phase, remote_id, units, created_at, phase_at FROM outbox_job
 ORDER BY ended_at IS NOT NULL, iif(ended_at IS NULL, id, -id) LIMIT ?1
