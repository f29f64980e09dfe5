-- The intents of the aggregate ?1, of whatever type, and those that the messages ?2 caused, with who wants to hear of them.
WITH RECURSIVE types (name) AS (
  SELECT min(aggregate_type) FROM outbox_log
  UNION ALL
  SELECT (SELECT min(l.aggregate_type) FROM outbox_log l WHERE l.aggregate_type > types.name)
    FROM types WHERE types.name IS NOT NULL)
SELECT o.id, o.reply_process, o.reply_id
  FROM types CROSS JOIN outbox_log o ON o.aggregate_type = types.name AND o.aggregate_id = ?1
UNION
SELECT o.id, o.reply_process, o.reply_id
  FROM json_each(?2) i CROSS JOIN outbox_log o ON o.cause_id = i.value
