-- All tokens, the newest first.
select id, name, role, created_at, expires_at, revoked_at from dipmo_token order by id desc
