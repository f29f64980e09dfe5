-- One control.
SELECT kind, name, setting, actor, reason, since, value FROM dipmo_control
 WHERE kind = ?1 AND name = ?2 AND setting = ?3
