-- Instances in states that a definition does not have, by state.
SELECT STATE, count(*) FROM {table}
 WHERE STATE NOT IN (SELECT value FROM json_each(?1)) GROUP BY STATE ORDER BY STATE
