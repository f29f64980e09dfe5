-- Tables that look like those of processes.
SELECT upper(t.name) FROM sqlite_schema AS t
 WHERE t.type = 'table' AND t.name LIKE '%\_PROCESS' ESCAPE '\'
   AND (SELECT count(*) FROM pragma_table_xinfo(t.name) AS c
         WHERE upper(c.name) IN ('ID', 'STATE', 'VERSION', 'CONTEXT')) = 4
 ORDER BY 1
