-- Tables that look like those of processes.
select c.relname::text from pg_class c
where c.relnamespace = current_schema()::text::regnamespace and c.relkind in ('r', 'p')
  and c.relname like '%\_process'
  and (select count(*) from pg_attribute a
       where a.attrelid = c.oid and not a.attisdropped and a.attname in ('id', 'state', 'version', 'context')) = 4
order by 1
