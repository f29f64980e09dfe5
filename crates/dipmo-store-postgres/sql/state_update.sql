-- Moves instances on; fails if one of them changed since it was read. {set} are the projected
-- columns of the process.
with moved as (
    update {table} p
    set state = u.state, version = u.version, context = u.context, last_event_versions = u.versions,
        attempts = u.attempts, last_event_ts = coalesce(u.ts, now()), error_code = u.code,
        error_message = u.message{set}
    from unnest($1::varchar[], $2::varchar[], $3::int8[], $4::json[], $5::json[], $6::int4[],
        $7::timestamptz[], $8::varchar[], $9::varchar[], $10::int8[]{arrays})
        as u (id, state, version, context, versions, attempts, ts, code, message, expected{columns})
    where p.id = u.id and p.version = u.expected
    returning 1)
select dipmo_assert(count(*) = cardinality($1::varchar[]), 'version',
    $11::text || ' ' || (cardinality($1::varchar[]) - count(*)))
from moved
