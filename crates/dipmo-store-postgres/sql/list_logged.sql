-- At most $3 lines of a log.
{lines} order by id desc limit $3
