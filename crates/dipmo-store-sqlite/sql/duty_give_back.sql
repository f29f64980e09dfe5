-- Gives a lease of a duty back, unless somebody else took it.
UPDATE dipmo_duty SET owner = NULL, lease_until = NULL WHERE name = ?1 AND epoch = ?2
