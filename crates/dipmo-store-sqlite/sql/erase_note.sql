-- Remembers that the aggregate ?1 was erased at ?2 by ?3.
INSERT INTO dipmo_erased (aggregate_id, erased_at, actor) VALUES (?1, ?2, ?3)
ON CONFLICT (aggregate_id) DO UPDATE SET erased_at = excluded.erased_at, actor = excluded.actor
