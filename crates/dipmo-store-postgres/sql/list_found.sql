-- At most $3 lines of the rows that were found somewhere else than in the log. Each is looked for by itself: the
-- planner must not begin with the log.
select l.* from ({rows}) d
cross join lateral ({lines} offset 0) l
order by d.id desc limit $3
