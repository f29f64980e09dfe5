-- Instances, those that were seen last first.
select name, version, roles, report, started_at, seen_at from dipmo_instance order by seen_at desc, name limit $1
