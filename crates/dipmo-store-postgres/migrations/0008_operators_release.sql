-- What operators must know: which later message or unit of its key went on without one that failed,
-- and which messages nobody waits for any more.
alter table inbox_exception add column overtaken_by bigint;
alter table outbox_exception add column overtaken_by bigint;

create index inbox_exception_failed on inbox_exception (queue, order_key, id)
    where status = 'FAILED' and overtaken_by is null and outcome is null;
create index outbox_exception_failed on outbox_exception (queue, order_key, id)
    where status = 'FAILED' and overtaken_by is null and outcome is null;
create index inbox_exception_passed_over on inbox_exception (order_key, id)
    where status = 'FAILED' or outcome = 'SKIPPED';

-- What waits in the outbox, without what was given up.
create index outbox_exception_open on outbox_exception (queue)
    where status <> 'DISPATCHED' and outcome is null;
