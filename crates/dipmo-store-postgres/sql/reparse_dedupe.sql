-- Gives messages that stand already another dedupe id, unless it is known: of two with one id, to the
-- one that is named first. In the order in which all others write them.
insert into inbox_dedupe (key, content, inbox_id)
select key, content, id
from unnest($1::uuid[], $2::int8[], $3::int8[]) with ordinality as u (key, content, id, o)
order by key, o
on conflict (key) do nothing
