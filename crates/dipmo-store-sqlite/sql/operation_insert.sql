-- Writes an operation of ?8 items; one without any has ended.
INSERT INTO dipmo_operation (act, side, forced, per_second, actor, reason, created_at, items, state, ended_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, iif(?8 = 0, 'ENDED', 'RUNNING'), iif(?8 = 0, ?7, NULL))
RETURNING id
