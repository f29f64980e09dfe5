-- Those of the messages $1 that have not ended, by how they stand.
select status, count(*), min(id) from inbox where id = any ($1::int8[]) and status <> 'PROCESSED' group by 1 order by 1
