-- Writes ids of an operation that nobody has: those that are not written yet; answers how many that are.
with filled as (
    insert into dipmo_operation_item (operation_id, id)
    select $1, u.id from unnest($2::int8[]) as u (id)
    on conflict (operation_id, id) do nothing
    returning id)
select count(*) from filled
