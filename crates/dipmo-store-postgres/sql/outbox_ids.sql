-- $1 blocks of 1,000 ids for the intents and records of a batch.
select nextval('outbox_id') from generate_series(1, $1::int4)
