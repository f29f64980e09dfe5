-- All controls.
SELECT kind, name, setting, actor, reason, since, value FROM dipmo_control ORDER BY kind, name, setting
