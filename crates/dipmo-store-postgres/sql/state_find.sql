-- Instances of a process.
select id, state, version, context, last_event_versions, attempts, last_event_ts, error_code,
    error_message
from {table} where id = any ($1::varchar[])
