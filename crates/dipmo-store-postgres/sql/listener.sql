-- Who listens, and in which schema.
select pg_backend_pid(), coalesce(current_schema(), '')
