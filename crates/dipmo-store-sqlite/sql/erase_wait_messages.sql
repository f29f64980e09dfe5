-- Those of the messages ?1 that have not ended, by how they stand.
SELECT coalesce(e.status, 'RECEIVED'), count(*), min(l.id)
  FROM json_each(?1) i CROSS JOIN inbox_log l ON l.id = i.value
  LEFT JOIN inbox_exception e ON e.id = l.id
  LEFT JOIN inbox_done d ON d.id = l.id
 WHERE d.id IS NULL AND e.status IS NOT 'PROCESSED'
 GROUP BY 1
