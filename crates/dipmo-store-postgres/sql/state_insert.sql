-- Makes instances that must not be there yet; fails if one of them is. $10 is not used here: both
-- state statements take the same parameters. {columns} are the projected columns of the process.
with made as (
    insert into {table} (id, state, version, context, last_event_versions, attempts, last_event_ts,
        error_code, error_message{columns})
    select id, state, version, context, versions, attempts, coalesce(ts, now()), code, message{columns}
    from unnest($1::varchar[], $2::varchar[], $3::int8[], $4::json[], $5::json[], $6::int4[],
        $7::timestamptz[], $8::varchar[], $9::varchar[], $10::int8[]{arrays})
        as u (id, state, version, context, versions, attempts, ts, code, message, expected{columns})
    on conflict (id) do nothing
    returning 1)
select dipmo_assert(count(*) = cardinality($1::varchar[]), 'version',
    $11::text || ' ' || (cardinality($1::varchar[]) - count(*)))
from made
