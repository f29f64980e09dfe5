-- Asks for the duty ?1 at ?2.
INSERT INTO dipmo_duty (name, asked_at) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET asked_at = excluded.asked_at
