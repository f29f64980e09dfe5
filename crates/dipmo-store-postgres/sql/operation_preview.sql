-- How many of each status an operation would be about, and the first of them.
with found as materialized ({found})
select f.status, count(*), array(select id from found order by id limit 10) from found f group by f.status
