-- What operators must know: which messages nobody waits for any more.
create index inbox_exception_passed_over on inbox_exception (order_key, id)
    where status = 'FAILED' or outcome = 'SKIPPED';
