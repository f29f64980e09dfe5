-- Those of the records $1 whose intent is blank, which $2 tells.
select k.id from outbox_record_log k
join outbox_log o on o.id = k.outbox_id and o.payload::text = $2::text
where k.id = any ($1::int8[])
