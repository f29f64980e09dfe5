-- Keeps a control, unless it is so already, or with $11 also then, and adds the entry of the audit when that was done.
with kept as (
    insert into dipmo_control as c (kind, name, setting, value, actor, reason)
    values ($7::varchar, $8::varchar, $9::varchar, $10::bigint, $1::varchar, $5::varchar)
    on conflict (kind, name, setting) do update
    set value = excluded.value, actor = excluded.actor, reason = excluded.reason, since = now()
    where c.value is distinct from excluded.value or $11::boolean
    returning kind)
insert into dipmo_audit (actor, role, action, target, reason, detail)
select $1::varchar, $2::varchar, $3::varchar, $4::varchar, $5::varchar, $6::json from kept
returning id
