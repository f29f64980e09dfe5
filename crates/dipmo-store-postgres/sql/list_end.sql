-- The row at which a page ends that looks through $3 rows, if there are as many.
select w.id, w.at from ({rows}) w order by w.id desc offset $3::int8 - 1 limit 1
