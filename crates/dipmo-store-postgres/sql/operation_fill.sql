-- Writes what an operation is about, each as it stands now; answers how many that are.
with filled as (
    insert into dipmo_operation_item (operation_id, id, status, attempts, retried)
    select {operation}::int8, f.id, f.status, f.attempts, f.retried from ({found}) f
    returning id)
select count(*) from filled
