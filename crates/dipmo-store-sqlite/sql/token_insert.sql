-- Keeps a token; a name is given once among those that are not revoked.
INSERT INTO dipmo_token (name, role, hash, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id
