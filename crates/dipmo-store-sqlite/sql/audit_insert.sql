-- Adds an entry to the audit.
INSERT INTO dipmo_audit (at, actor, role, action, target, reason, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
