-- How a message or unit ended at its first attempt, from the line of an archive.
INSERT INTO {box}_done (id, ended_at, outcome, external_ref)
SELECT ?1 ->> 'id', ?1 ->> '$.done.ended_at', ?1 ->> '$.done.outcome', ?1 ->> '$.done.external_ref'
 WHERE ?1 ->> '$.done.ended_at' IS NOT NULL
ON CONFLICT (id) DO NOTHING
