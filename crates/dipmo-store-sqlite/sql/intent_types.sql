-- The types of aggregates that there are intents of. They are few: the index is entered once for each.
WITH RECURSIVE types (name) AS (
  SELECT min(aggregate_type) FROM outbox_log
  UNION ALL
  SELECT (SELECT min(l.aggregate_type) FROM outbox_log l WHERE l.aggregate_type > types.name)
    FROM types WHERE types.name IS NOT NULL)
SELECT name FROM types WHERE name IS NOT NULL
