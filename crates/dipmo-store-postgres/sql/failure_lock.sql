-- Waits for those who named groups and did not commit yet, and keeps others from naming any: a group that
-- is forgotten beside a new failure of it would be missed. Naming is the last that a transaction does, so
-- nobody waits long.
lock table dipmo_failure_group in share row exclusive mode
