-- The token with a hash, while it is good.
select id, name, role, created_at, expires_at, revoked_at from dipmo_token
where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())
