-- A month of 100,000 messages and as many intents, a tenth of them with a record, in blocks of ids as the store
-- gives them out: most have ended, some left the straight path, the newest are ready.
insert into inbox_log (id, received_at, offset_num, partition_num, lane, message_id, source_system, topic, key_str, aggregate_id, event_type, payload)
select b * 1000 + i, now() - (200 - b) * interval '4 hours', b * 500 + i, 0, (b + i) % 64, 'm-' || b * 500 + i, 's', 't-' || i % 10, 'k',
    case when i % 10 = 0 then 'hot' else 'A-' || (b * 500 + i) % 5000 end, 'E-' || i % 100,
    ('{"n":"' || b * 500 + i || '"}')::json
from generate_series(0, 199) b, generate_series(1, 500) i;
insert into inbox_done (min_id, max_id, outcome, ids)
select b * 1000 + 1, b * 1000 + 500, 'DONE', array(select b * 1000 + i from generate_series(1, 500) i) from generate_series(0, 189) b;
insert into inbox_ready (lane, id, logged_at, ids)
select lane, min(id), received_at, array_agg(id order by id) from inbox_log
where id > 190000 and id % 1000 not between 4 and 8 group by lane, received_at;
insert into inbox_exception (id, logged_at, lane, order_key, status, held, parked_until, attempts, error_code, error_message, fingerprint)
select id, received_at, lane, aggregate_id, (array['PROCESSED', 'RETRY', 'FAILED', 'RECEIVED', 'RECEIVED'])[id % 1000 - 3],
    id % 1000 = 7, case when id % 1000 = 8 then now() end, 1, 'C-' || id % 7, 'failed', case when id % 1000 < 7 then 77 end
from inbox_log where id % 1000 between 4 and 8;
insert into outbox_log (id, created_at, cause_id, lane, aggregate_type, aggregate_id, event_type, destination, payload)
select id, received_at, id, lane, 'T-' || id % 3, aggregate_id, event_type, 'KAFKA:t' || id % 2, payload from inbox_log order by id;
insert into outbox_record_log (id, created_at, outbox_id, lane, destination, record_key)
select id + 500, created_at, id, lane, destination, 'R-' || id from outbox_log where id % 10 = 1;
insert into outbox_progress (outbox_id, total) select id, 1 from outbox_log where id % 10 = 1;
insert into outbox_lane (destination, lane) select 'KAFKA:t' || d, l from generate_series(0, 1) d, generate_series(0, 63) l;
insert into outbox_done (min_id, max_id, outcome, ids)
select b * 1000 + 1, b * 1000 + 1000, 'DISPATCHED', array(select b * 1000 + i from generate_series(1, 1000) i) from generate_series(0, 189) b;
insert into outbox_ready (destination, lane, id, logged_at, records, ids)
select destination, lane, min(id), created_at, false, array_agg(id order by id) from outbox_log
where id > 190000 and id % 10 <> 1 and id % 1000 not between 5 and 7 group by destination, lane, created_at;
insert into outbox_ready (destination, lane, id, logged_at, records, ids)
select destination, lane, min(id), created_at, true, array_agg(id order by id) from outbox_record_log
where id > 190000 group by destination, lane, created_at;
insert into outbox_exception (id, logged_at, lane, queue, order_key, status, held, attempts, error_code, error_message, fingerprint)
select id, created_at, lane, destination, aggregate_id, (array['DISPATCHED', 'FAILED', 'PENDING'])[id % 1000 - 4], id % 1000 = 7,
    1, 'C-' || id % 7, 'failed', case when id % 1000 < 7 then 77 end
from outbox_log where id % 1000 between 5 and 7;
-- What left the straight path and ended since.
insert into inbox_exception (id, logged_at, lane, order_key, status, outcome, attempts, ended_at)
select id, received_at, lane, aggregate_id, 'PROCESSED', 'DONE', 2, now() from inbox_log
where id < 190000 and id % 1000 between 100 and 400;
insert into outbox_exception (id, logged_at, lane, queue, order_key, status, attempts, ended_at)
select id, created_at, lane, destination, aggregate_id, 'DISPATCHED', 2, now() from outbox_log
where id < 190000 and id % 1000 between 100 and 400 and id % 10 <> 1;
-- An intent with many records, a message that came later, and an intent after that.
insert into inbox_log (id, received_at, offset_num, partition_num, lane, message_id, source_system, topic, payload)
values (204001, now() - interval '1 hour', 0, 0, 0, 'last', 's', 't', '{}');
insert into outbox_log (id, created_at, lane, aggregate_type, aggregate_id, event_type, destination, payload)
values (200001, now() - interval '2 hours', 0, 'T-1', 'many', 'E', 'KAFKA:many', '{}'), (204001, now(), 0, 'T-1', 'many', 'E', 'KAFKA:many', '{}');
insert into outbox_record_log (id, created_at, outbox_id, lane, destination, record_key)
select id, now() - interval '2 hours', 200001, 0, 'KAFKA:many', 'many-' || id from generate_series(200002, 203001) id;
insert into outbox_progress (outbox_id, total) values (200001, 3000);
insert into suite_process (id, reference) select 'A-' || n, 'r' from generate_series(1, 50000) n;
analyze;
