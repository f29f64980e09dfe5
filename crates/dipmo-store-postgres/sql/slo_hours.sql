-- What was counted in the hours that end behind $1.
select hour, name, good, total from dipmo_slo
where hour > $1::timestamptz - interval '1 hour'
order by hour, name
