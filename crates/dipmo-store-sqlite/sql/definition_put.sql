-- A definition was installed, and nobody stands in a state that it does not have.
INSERT INTO dipmo_definition (process, generation, states, settled, installed_at)
VALUES (?1, ?2, ?3, 1, ?4)
ON CONFLICT (process, generation) DO UPDATE SET settled = 1
