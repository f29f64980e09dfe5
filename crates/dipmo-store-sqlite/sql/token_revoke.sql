-- Revokes a token that is not revoked.
UPDATE dipmo_token SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL
