-- Writes a job.
-- Differs from PostgreSQL because what is in it is marked, and its lanes are held, by statements of their
-- own: the one writer needs no locks for that.
INSERT INTO outbox_job (id, destination, phase, units, created_at, phase_at)
VALUES (?1, ?2, 'SEALED', ?3, ?4, ?4)
