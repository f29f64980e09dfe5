-- Recognises messages: answers the ids of those that are new. Sorted by key, so that two batches
-- with the same messages in another order wait for each other instead of deadlocking.
insert into inbox_dedupe (key, content, inbox_id)
select key, content, id
from unnest($1::uuid[], $2::int8[], $3::int8[]) as u (key, content, id)
order by key, id
on conflict (key) do nothing
returning inbox_id
