-- All tokens, the newest first.
SELECT id, name, role, created_at, expires_at, revoked_at FROM dipmo_token ORDER BY id DESC
