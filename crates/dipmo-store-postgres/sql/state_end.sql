-- The instance at which a page ends that looks through $3 instances behind $1 and from $2 on, if there are as many.
select id from {table}
where ($1::varchar is null or id > $1) and ($2::varchar is null or id >= $2)
order by id offset $3::int8 - 1 limit 1
