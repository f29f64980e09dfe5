-- Forgets groups in which nothing counts and nothing failed since a time; answers how many. The table is locked.
with gone as (
    delete from dipmo_failure_group g
    where g.failed = 0 and g.retrying = 0 and g.last_seen < $1
      and not exists (select from dipmo_failure_note n where n.fingerprint = g.fingerprint)
    returning g.fingerprint)
select count(*) from gone
