-- Remembers that an aggregate was erased, and by whom.
insert into dipmo_erased (aggregate_id, actor) values ($1, $2)
on conflict (aggregate_id) do update set erased_at = now(), actor = excluded.actor
