-- Where the message of a dedupe id stands; the status is NULL when its row is history.
-- Differs because it is asked for one id, and no ready row is looked for: what is neither an
-- exception nor done is ready.
SELECT i.inbox_id,
       iif(l.id IS NULL, NULL, coalesce(e.status, iif(d.id IS NULL, 'RECEIVED', 'PROCESSED'))),
       coalesce(e.outcome, d.outcome), coalesce(e.attempts, d.id IS NOT NULL), e.error_code
  FROM inbox_dedupe i
  LEFT JOIN inbox_log l ON l.id = i.inbox_id
  LEFT JOIN inbox_exception e ON e.id = l.id
  LEFT JOIN inbox_done d ON d.id = l.id
 WHERE i.key = ?1
