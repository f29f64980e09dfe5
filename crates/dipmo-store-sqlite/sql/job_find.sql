-- A job as it stands.
SELECT id, destination, phase, remote_id, units, created_at, phase_at FROM outbox_job WHERE id = ?1
