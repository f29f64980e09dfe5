-- Ends a message or unit at its first attempt.
-- Differs from PostgreSQL because a row for each can be found by its id.
INSERT INTO {box}_done (id, ended_at, outcome, external_ref) VALUES (?1, ?2, ?3, ?4)
