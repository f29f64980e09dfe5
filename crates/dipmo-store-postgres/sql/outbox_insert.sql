-- Writes intents into the log.
insert into outbox_log (id, cause_id, event_version, aggregate_type, aggregate_id, event_type,
    destination, reply_process, reply_id, headers, payload, lane)
select * from unnest($1::int8[], $2::int8[], $3::int4[], $4::varchar[], $5::varchar[], $6::varchar[],
    $7::varchar[], $8::varchar[], $9::varchar[], $10::json[], $11::json[], $12::int2[])
