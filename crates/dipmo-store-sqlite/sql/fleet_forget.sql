-- Forgets instances that were not seen since ?1.
DELETE FROM dipmo_instance WHERE seen_at < ?1
