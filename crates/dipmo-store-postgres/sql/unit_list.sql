-- A list of units, the newest first.
select * from (({intents}) union all ({records})) u order by id desc limit $3
