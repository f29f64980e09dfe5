-- Takes messages out of the line of their key that cannot be decoded.
update inbox_exception set held = false where id = any ($1::int8[]) and status = 'SERDE_ERROR'
