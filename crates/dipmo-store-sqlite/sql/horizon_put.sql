-- Since when dedupe ids are complete; it never moves back.
INSERT INTO dipmo_setting (name, value) VALUES ('dedupe_horizon', ?1)
ON CONFLICT (name) DO UPDATE SET
  value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))
