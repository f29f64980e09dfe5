-- A job as it stands.
select id, destination, phase, remote_id, units, created_at, phase_at from outbox_job where id = $1
