-- The messages of an aggregate that has few.
select m.id, m.at from (
    select id, received_at as at from inbox_log where aggregate_id = {key}::varchar offset 0) m
where m.id < $1 and m.id >= $2 order by m.id desc
