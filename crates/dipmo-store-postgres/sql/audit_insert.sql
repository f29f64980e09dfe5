-- Adds an entry to the audit.
insert into dipmo_audit (actor, role, action, target, reason, detail)
values ($1::varchar, $2::varchar, $3::varchar, $4::varchar, $5::varchar, $6::json)
