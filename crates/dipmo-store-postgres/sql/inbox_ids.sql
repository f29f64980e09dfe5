-- $1 blocks of 1,000 ids for a batch of messages; never cached across batches, so that ids grow
-- with arrival.
select nextval('inbox_id') from generate_series(1, $1::int4)
