-- The columns of a table and their declared types, generated ones too; none when there is no such
-- table.
SELECT name, type FROM pragma_table_xinfo(?1)
