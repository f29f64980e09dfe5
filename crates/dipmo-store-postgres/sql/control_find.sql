-- One control.
select kind, name, setting, actor, reason, since, value from dipmo_control
where kind = $1::varchar and name = $2::varchar and setting = $3::varchar
