-- Keeps messages that came with the id of another one and a different content, once each.
insert into inbox_incident (inbox_id, source_system, message_id, topic, partition_num, offset_num,
    payload, raw_payload_base64, content, aggregate_id)
select * from unnest($1::int8[], $2::varchar[], $3::varchar[], $4::varchar[], $5::int4[], $6::int8[],
    $7::json[], $8::text[], $9::int8[], $10::varchar[])
on conflict (source_system, message_id, content) do nothing
