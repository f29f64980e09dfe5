-- What is in a log, from $2 to before $1.
select l.id, l.{at} as at from {log} l where l.id < $1 and l.id >= $2 order by l.id desc
