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

-- Messages without an aggregate are found by their key. A row is in this index or has a value in
-- IX_INBOX_AGG, so that none costs more than one; what follows the first 200 characters is compared
-- in the row, because a long key would not fit.
create index ix_inbox_key on inbox_log (left(key_str, 200)) where aggregate_id is null and key_str is not null;
