-- At which destination and in which lane each of some units is.
select o.id, o.destination, o.lane from outbox_log o where o.id = any ($1::int8[])
union all
select k.id, k.destination, k.lane from outbox_record_log k where k.id = any ($1::int8[])
