-- Takes up to ?2 jobs away that ended before ?1: nothing is left in them.
DELETE FROM outbox_job WHERE id IN (SELECT id FROM outbox_job WHERE ended_at < ?1 LIMIT ?2)
