-- Writes intents into the log. In the select list: a FROM would put all of it aside first.
insert into outbox_log (id, cause_id, event_version, aggregate_type, aggregate_id, event_type,
    destination, reply_process, reply_id, headers, payload, lane, caused_at)
select unnest($1::int8[]), unnest($2::int8[]), unnest($3::int4[]), unnest($4::varchar[]),
    unnest($5::varchar[]), unnest($6::varchar[]), unnest($7::varchar[]), unnest($8::varchar[]),
    unnest($9::varchar[]), unnest($10::json[]), unnest($11::json[]), unnest($12::int2[]),
    unnest($13::timestamptz[])
