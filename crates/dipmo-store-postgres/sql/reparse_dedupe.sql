-- Gives messages that stand already another dedupe id, unless it is known. In the order in which all
-- others write them.
insert into inbox_dedupe (key, content, inbox_id)
select key, content, id
from unnest($1::uuid[], $2::int8[], $3::int8[]) as u (key, content, id)
order by key, id
on conflict (key) do nothing
