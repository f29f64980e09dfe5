-- Gives ids to a batch of messages, $3 blocks of 1,000, and recognises them: answers the first id of
-- each block, and the ids of those that are new. Ids are never kept for another batch, so that they
-- grow with arrival. Sorted by key, so that two batches with the same messages in another order
-- wait for each other instead of deadlocking.
with blocks as materialized (
    select array(select nextval('inbox_id') from generate_series(1, $3::int4)) as first),
made as (
    insert into inbox_dedupe (key, content, inbox_id)
    select key, content, (select first from blocks)[(o - 1) / 1000 + 1] + (o - 1) % 1000 as id
    from unnest($1::uuid[], $2::int8[]) with ordinality as u (key, content, o)
    order by key, id
    on conflict (key) do nothing
    returning inbox_id)
select first, array(select inbox_id from made) from blocks
