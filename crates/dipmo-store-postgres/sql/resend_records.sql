-- Writes records $3 again, as $1, of the intents $2.
insert into outbox_record_log (id, outbox_id, destination, record_key, lane)
select u.id, u.intent, k.destination, k.record_key, k.lane
from unnest($1::int8[], $2::int8[], $3::int8[]) as u (id, intent, unit)
cross join lateral (select * from outbox_record_log k where k.id = u.unit limit 1) k
