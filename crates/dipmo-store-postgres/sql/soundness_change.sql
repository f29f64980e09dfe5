-- Would change the audit, if there were such an entry; the database refuses before it looks.
update dipmo_audit set reason = reason where id = 0
