-- Writes the records of intents into their log.
insert into outbox_record_log (id, outbox_id, destination, record_key, lane)
select * from unnest($1::int8[], $2::int8[], $3::varchar[], $4::varchar[], $5::int2[])
