-- Whether an aggregate has no more than $2 messages.
select count(*) <= $2 from (select from inbox_log where aggregate_id = $1::varchar limit $2::int8 + 1) m
