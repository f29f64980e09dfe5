-- How large the database is.
select pg_database_size(current_database())
