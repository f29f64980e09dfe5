-- Finds groups of failures in which nothing counts, and forgets them if $1: they show words of what failed, and whose words
-- they are is known no longer. The table is locked.
with open as materialized (
    select g.fingerprint from dipmo_failure_group g
    where not exists (select from inbox_exception e where e.fingerprint = g.fingerprint
                      and dipmo_failure_counts(e.status, e.outcome, e.fingerprint) > 0)
      and not exists (select from outbox_exception e where e.fingerprint = g.fingerprint
                      and dipmo_failure_counts(e.status, e.outcome, e.fingerprint) > 0)),
gone as (delete from dipmo_failure_group g using open o where $1::boolean and g.fingerprint = o.fingerprint)
select count(*) from open
