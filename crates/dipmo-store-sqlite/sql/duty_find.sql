-- A duty, and who does it.
SELECT name, owner, lease_until, asked_at, trouble FROM dipmo_duty WHERE name = ?1
