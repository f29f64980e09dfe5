-- How the indexes of a table were made; those that SQLite made by itself have no text.
SELECT sql FROM sqlite_schema
 WHERE type = 'index' AND tbl_name = ?1 COLLATE NOCASE AND sql IS NOT NULL
