-- Items that were not met yet, in the order of their ids.
select id, status, attempts, retried, result from dipmo_operation_item
where operation_id = $1 and result is null
order by id limit $2
