-- An operation, and which lease of it is the last.
SELECT id, act, side, forced, per_second, actor, reason, created_at, state, ended_at, items, met, done, owner, epoch
  FROM dipmo_operation WHERE id = ?1
