-- Items of an operation behind an id, in the order of ids.
select id, status, attempts, retried, result from dipmo_operation_item
where operation_id = $1 and id > $2
order by id limit $3
