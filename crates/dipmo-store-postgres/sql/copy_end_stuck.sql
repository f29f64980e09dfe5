-- Ends sessions of ours that stand still inside a COPY for more than $1 microseconds: no time-out
-- of PostgreSQL reaches them there.
select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
  and state = 'active' and wait_event = 'ClientRead' and query like '-- Copies messages into the log.%'
  and query_start < clock_timestamp() - $1::int8 * interval '1 microsecond'
