-- Keeps a token.
insert into dipmo_token (name, role, hash, expires_at) values ($1::varchar, $2::varchar, $3::bytea, $4::timestamptz)
returning id
