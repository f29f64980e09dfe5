-- How far a page of a job behind $2 reaches, and whether there is another: about $3 units. Chunks stand
-- by their last units: those of a chunk that stay in the job when it is settled have rows of their own
-- then, and must not come again behind a mark that the chunk was before. Rows are compared as pairs so
-- that no other index than that of jobs can be taken.
with line as materialized (
    (select ids[cardinality(ids)] as last, cardinality(ids) as n from outbox_ready
     where job_id = $1 and ids[cardinality(ids)] > $2
     order by ids[cardinality(ids)] limit $3::int8 + 1)
    union all
    (select id, 1 from outbox_exception
     where job_id is not null and (job_id, id) > ($1, $2) and (job_id, id) <= ($1, 9223372036854775807)
     order by job_id, id limit $3::int8 + 1))
select max(last) filter (where before < $3), bool_or(before >= $3)
from (select last, sum(n) over (order by last) - n as before from line) x
