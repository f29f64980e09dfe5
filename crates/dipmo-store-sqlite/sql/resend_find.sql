-- The intent of a unit, where it goes, and its record, if it is one.
SELECT l.id, l.destination, l.aggregate_id, k.record_key
  FROM (SELECT ?1 AS id) u
  LEFT JOIN outbox_record_log k ON k.id = u.id
 CROSS JOIN outbox_log l ON l.id = coalesce(k.outbox_id, u.id)
