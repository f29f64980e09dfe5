-- Writes messages into the log.
insert into inbox_log (id, message_id, source_system, topic, partition_num, offset_num, key_str,
    aggregate_id, event_type, event_version, source_version, payload, headers, raw_payload_base64,
    event_ts, originals, lane)
select * from unnest($1::int8[], $2::varchar[], $3::varchar[], $4::varchar[], $5::int4[], $6::int8[],
    $7::varchar[], $8::varchar[], $9::varchar[], $10::int4[], $11::int8[], $12::json[], $13::json[],
    $14::text[], $15::timestamptz[], $16::json[], $17::int2[])
