-- The time of the database, in microseconds; SQLite tells milliseconds.
-- Differs from PostgreSQL because there is no now() of a transaction: it is asked once, at its start.
SELECT CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER) * 1000
