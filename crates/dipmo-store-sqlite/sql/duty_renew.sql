-- Prolongs a lease of a duty that is still ours until ?3.
UPDATE dipmo_duty SET lease_until = ?3 WHERE name = ?1 AND epoch = ?2
