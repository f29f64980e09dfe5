-- How a table was made.
SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE
