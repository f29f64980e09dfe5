-- Operations with a lower number than ?1, the newest first.
SELECT id, act, side, forced, per_second, actor, reason, created_at, state, ended_at, items, met, done, owner, epoch
  FROM dipmo_operation WHERE id < ?1 ORDER BY id DESC LIMIT ?2
