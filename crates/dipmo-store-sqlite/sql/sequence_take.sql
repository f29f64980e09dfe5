-- Takes the next ?2 numbers of a counter and answers the last of them.
-- Differs from PostgreSQL because SQLite has no sequences; the one writer never waits for the row.
UPDATE dipmo_sequence SET last = last + ?2 WHERE name = ?1 RETURNING last
