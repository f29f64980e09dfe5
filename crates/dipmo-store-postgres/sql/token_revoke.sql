-- Revokes a token, and adds the entry of the audit when that was done.
with revoked as (
    update dipmo_token set revoked_at = now() where id = $7 and revoked_at is null returning id)
insert into dipmo_audit (actor, role, action, target, reason, detail)
select $1::varchar, $2::varchar, $3::varchar, $4::varchar, $5::varchar, $6::json from revoked
returning id
