-- Makes a message or unit ready to be taken with its chunk.
-- Differs from PostgreSQL because a row for each costs less here than an array that has to be taken
-- apart.
INSERT INTO {box}_ready (queue, lane, chunk, id) VALUES (?1, ?2, ?3, ?4)
