-- Starts to count the records of intents.
insert into outbox_progress (outbox_id, total) select * from unnest($1::int8[], $2::int4[])
