-- How many items of an operation met each end.
select result, count(*) from dipmo_operation_item
where operation_id = $1 and result is not null
group by result
