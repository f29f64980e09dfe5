-- How many of the two triggers that keep the audit are there, and how large the file is.
-- Differs from PostgreSQL because a trigger here sees rows only: without an entry nothing is refused.
SELECT (SELECT count(*) FROM sqlite_master
         WHERE type = 'trigger' AND tbl_name = 'dipmo_audit' AND sql LIKE '%raise(ABORT%'
           AND name IN ('dipmo_audit_not_changed', 'dipmo_audit_not_deleted')),
       (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size())
