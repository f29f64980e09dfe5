-- Entries of the audit, the newest first: at most $3 from $2 to before $1 that fit a filter.
select id, at, actor, role, action, target, reason, detail from dipmo_audit
where id < $1 and id >= $2
  and ($4::varchar is null or actor = $4)
  and ($5::varchar is null or action = $5)
  and ($6::varchar is null or target = $6)
  and ($7::timestamptz is null or at >= $7)
  and ($8::timestamptz is null or at < $8)
order by id desc limit $3
