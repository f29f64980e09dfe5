-- Instances of a process behind $1, from $2 on and not behind $3, in the order of ids: at most $4 that fit a
-- filter.
select id, state, version, context, last_event_versions, attempts, last_event_ts, error_code,
    error_message
from {table}
where ($1::varchar is null or id > $1) and ($2::varchar is null or id >= $2) and ($3::varchar is null or id <= $3)
  and ($5::varchar is null or state = $5)
  and ($6::varchar is null or starts_with(id, $6))
  and (not $7::bool or error_code is not null)
order by id limit $4
