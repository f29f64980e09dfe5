-- The definitions of a process, oldest first.
SELECT generation, states, settled FROM dipmo_definition WHERE process = ?1 ORDER BY generation
