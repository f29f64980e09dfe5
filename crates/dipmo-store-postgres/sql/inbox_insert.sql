-- Writes messages into the log. In the select list: a FROM would put all of it aside first.
insert into inbox_log (id, message_id, source_system, topic, partition_num, offset_num, key_str,
    aggregate_id, event_type, event_version, source_version, payload, headers, raw_payload_base64,
    event_ts, originals, lane)
select unnest($1::int8[]), unnest($2::varchar[]), unnest($3::varchar[]), unnest($4::varchar[]),
    unnest($5::int4[]), unnest($6::int8[]), unnest($7::varchar[]), unnest($8::varchar[]),
    unnest($9::varchar[]), unnest($10::int4[]), unnest($11::int8[]), unnest($12::json[]),
    unnest($13::json[]), unnest($14::text[]), unnest($15::timestamptz[]), unnest($16::json[]),
    unnest($17::int2[])
