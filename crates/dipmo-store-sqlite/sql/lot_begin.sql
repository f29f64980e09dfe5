-- Begins a lot.
INSERT INTO dipmo_lot (side, month, state, aside_at) VALUES (?1, ?2, 'FILLING', ?3) RETURNING id
