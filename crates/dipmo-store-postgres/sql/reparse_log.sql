-- What messages say that could not be decoded when they came. Their bytes stay. Beside
-- edit_write this is the only statement that changes the log.
update inbox_log m
set message_id = u.message_id, source_system = u.source_system, aggregate_id = u.aggregate_id,
    event_type = u.event_type, event_version = u.event_version, source_version = u.source_version,
    payload = u.payload, event_ts = u.event_ts, originals = u.originals, lane = u.lane
from unnest($1::int8[], $2::varchar[], $3::varchar[], $4::varchar[], $5::varchar[], $6::int4[],
    $7::int8[], $8::json[], $9::timestamptz[], $10::json[], $11::int2[])
    as u (id, message_id, source_system, aggregate_id, event_type, event_version, source_version,
        payload, event_ts, originals, lane)
join inbox_exception e on e.id = u.id
where m.id = u.id and m.received_at = e.logged_at
