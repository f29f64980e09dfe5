-- The token with a hash, if it is good at ?2.
SELECT id, name, role, created_at, expires_at, revoked_at FROM dipmo_token
 WHERE hash = ?1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)
