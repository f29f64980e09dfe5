-- Those of the records ?1 whose intent is blank, which ?2 tells.
SELECT k.id
  FROM json_each(?1) i CROSS JOIN outbox_record_log k ON k.id = i.value
 CROSS JOIN outbox_log o ON o.id = k.outbox_id AND o.payload = ?2
