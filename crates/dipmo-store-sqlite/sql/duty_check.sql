-- Whether a lease of a duty is still ours.
SELECT 1 FROM dipmo_duty WHERE name = ?1 AND epoch = ?2
