-- The units of some intents, from $2 to before $1.
with intents as materialized ({intents})
select u.id, u.at from (
    select i.id, i.created_at as at from intents i
    union all
    select k.id, k.created_at from intents i
    cross join lateral (
        select k.id, k.created_at from outbox_record_log k
        where k.outbox_id = i.id and k.created_at = i.created_at offset 0) k) u
where u.id < $1 and u.id >= $2 order by u.id desc
