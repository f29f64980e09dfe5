-- Forgets an instance that ends.
DELETE FROM dipmo_instance WHERE name = ?1
