-- Takes messages out of the line of their key: those that cannot be decoded stand in it.
update inbox_exception set held = false where id = any ($1::int8[])
