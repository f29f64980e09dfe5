-- Which of some messages were erased: their payload is $2.
select id from inbox_log where id = any ($1::int8[]) and payload::text = $2::text
