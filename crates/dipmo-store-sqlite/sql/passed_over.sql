-- The versions of an order key whose messages failed or were skipped, of the newest ?2 of those.
SELECT l.source_system, l.source_version
  FROM (SELECT id FROM inbox_exception
         WHERE queue = '' AND order_key = ?1 AND (status = 'FAILED' OR outcome = 'SKIPPED')
         ORDER BY id DESC LIMIT ?2) e
 CROSS JOIN inbox_log l ON l.id = e.id
 WHERE l.source_version IS NOT NULL
