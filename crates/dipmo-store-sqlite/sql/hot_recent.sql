-- Aggregates with the most among the ?2 newest messages, the most first and at most ?1, and how many messages those
-- are.
WITH recent AS MATERIALIZED (
  SELECT aggregate_id, received_at FROM inbox_log WHERE id > 0 ORDER BY id DESC LIMIT ?2)
SELECT aggregate_id, count(*), max(received_at), (SELECT count(*) FROM recent)
  FROM recent WHERE aggregate_id IS NOT NULL GROUP BY aggregate_id
 ORDER BY 2 DESC, 3 DESC, 1 LIMIT ?1
