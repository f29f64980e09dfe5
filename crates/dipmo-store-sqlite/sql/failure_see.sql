-- Notes at ?6 that ?7 failed so; the counts of the group follow the rows of its failures.
INSERT INTO dipmo_failure_group (fingerprint, side, stage, code, pattern, first_seen, last_seen, sample_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)
ON CONFLICT (fingerprint) DO UPDATE SET last_seen = excluded.last_seen, sample_id = excluded.sample_id
