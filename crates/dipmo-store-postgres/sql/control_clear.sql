-- Forgets a control, and adds the entry of the audit when there was one.
with gone as (
    delete from dipmo_control where kind = $7::varchar and name = $8::varchar and setting = $9::varchar
    returning kind)
insert into dipmo_audit (actor, role, action, target, reason, detail)
select $1::varchar, $2::varchar, $3::varchar, $4::varchar, $5::varchar, $6::json from gone
returning id
