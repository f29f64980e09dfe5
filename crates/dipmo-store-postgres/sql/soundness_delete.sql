-- Would delete from the audit, if there were such an entry; the database refuses before it looks.
delete from dipmo_audit where id = 0
