-- Keeps a control, unless it is so already; with ?8 also then.
INSERT INTO dipmo_control (kind, name, setting, value, actor, reason, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (kind, name, setting) DO UPDATE
   SET value = excluded.value, actor = excluded.actor, reason = excluded.reason, since = excluded.since
 WHERE dipmo_control.value IS NOT excluded.value OR ?8
