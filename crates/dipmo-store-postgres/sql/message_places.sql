-- In which lane each of some messages is, for an operator, who takes one lane at a time.
select id, ''::varchar as queue, lane from inbox_log where id = any ($1::int8[])
