-- Tables as after a busy month, so that the planner has something to be wrong about.
insert into inbox_log (id, offset_num, partition_num, lane, message_id, source_system, topic, aggregate_id, payload)
select n, n, 0, n % 64, 'm-' || n, 's', 't', 'A-' || n % 2000, '{}' from generate_series(1, 40000) n;
insert into inbox_log (id, offset_num, partition_num, lane, message_id, source_system, topic, key_str, payload)
select n, n, 0, n % 64, 'm-' || n, 's', 't', 'K-' || n % 500, '{}' from generate_series(40001, 45000) n;
insert into inbox_dedupe (key, content, inbox_id)
select md5(n::text)::uuid, n, n from generate_series(1, 40000) n;
insert into inbox_ready (id, logged_at, lane, ids)
select n, now(), n % 64, array[n, n + 64] from generate_series(1, 4000) n;
insert into inbox_exception (id, logged_at, lane, order_key, status, held, next_attempt_at)
select n, now(), n % 64, 'A-' || n % 2000, case when n % 2 = 0 then 'RETRY' else 'RECEIVED' end,
    n % 2 = 1, case when n % 2 = 0 then now() end
from generate_series(5001, 15000) n;
update inbox_exception set status = 'FAILED', held = false, next_attempt_at = null where id % 100 = 1;
update inbox_exception set parked_until = now() where id % 50 = 0;
insert into inbox_block (order_key, head_id, lane, released_to)
select 'A-' || n, n, n % 64, case when n % 10 = 0 then n end from generate_series(0, 1999) n;
insert into inbox_done (min_id, max_id, outcome, ids)
select n, n + 99, 'DONE', array[n, n + 99] from generate_series(15001, 39001, 100) n;
insert into outbox_log (id, lane, aggregate_type, aggregate_id, event_type, destination, payload)
select n, n % 64, 'A', 'A-' || n % 2000, 'E', 'KAFKA:t' || n % 5, '{}' from generate_series(1, 40000) n;
insert into outbox_record_log (id, outbox_id, lane, destination, record_key)
select n, n % 1000, n % 64, 'KAFKA:t1', 'R-' || n from generate_series(40001, 60000) n;
insert into outbox_progress (outbox_id, total) select n, 20 from generate_series(1, 1000) n;
insert into outbox_lane (destination, lane)
select 'KAFKA:t' || d, l from generate_series(0, 4) d, generate_series(0, 63) l;
insert into outbox_ready (id, logged_at, lane, records, destination, ids)
select n, now(), n % 64, n % 2 = 0, 'KAFKA:t' || n % 5, array[n] from generate_series(1, 5000) n;
insert into outbox_exception (id, logged_at, lane, queue, order_key, status, held, next_attempt_at)
select n, now(), n % 64, 'KAFKA:t' || n % 5, 'A-' || n % 2000, 'PENDING', n % 2 = 1,
    case when n % 2 = 0 then now() end
from generate_series(6001, 16000) n;
update outbox_exception set status = 'FAILED', held = false, next_attempt_at = null where id % 50 = 1;
update outbox_exception set outcome = 'SKIPPED' where status = 'FAILED' and id % 100 = 1;
insert into outbox_block (queue, order_key, head_id, lane, released_to)
select 'KAFKA:t' || n % 5, 'A-' || n, n, n % 64, case when n % 10 = 0 then n end from generate_series(0, 1999) n;
insert into outbox_job (destination, units, phase, ended_at)
select 'KAFKA:t' || n % 5, 10, 'ENDED', now() from generate_series(1, 2000) n;
insert into outbox_job (destination, units) select 'KAFKA:t' || n, 10 from generate_series(0, 4) n;
update outbox_lane set job_id = 2001 where destination = 'KAFKA:t0' and lane < 32;
update outbox_ready set job_id = 2001 where destination = 'KAFKA:t0' and lane < 32;
update outbox_exception set job_id = 2001 where queue = 'KAFKA:t0' and lane < 32 and next_attempt_at <= now();
insert into process_timer (process, instance_id, name, due_at, aggregate_id, event_type, payload)
select 'SUITE', 'A-' || n, 't', now(), 'A', 'E', '{}' from generate_series(1, 5000) n;
insert into suite_process (id, reference) select 'A-' || n, 'r' from generate_series(1, 20000) n;
analyze;
