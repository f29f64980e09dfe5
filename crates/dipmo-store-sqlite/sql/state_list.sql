-- Instances of a process from ?1 on without ?2, in the order of ids, and whether each stands in ?3 and, where ?4 says
-- so, has a failure.
SELECT STATE, VERSION, CONTEXT, LAST_EVENT_VERSIONS, ATTEMPTS, LAST_EVENT_TS, ERROR_CODE, ERROR_MESSAGE, ID,
       (?3 IS NULL OR STATE = ?3) AND (?4 = 0 OR ERROR_CODE IS NOT NULL)
  FROM {table} WHERE ID >= ?1 AND ID IS NOT ?2 ORDER BY ID
