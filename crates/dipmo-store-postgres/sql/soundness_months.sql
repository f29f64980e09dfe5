-- The months that have a partition of every log, and now.
select right(c.relname, 6), now()
from pg_inherits i join pg_class c on c.oid = i.inhrelid
where i.inhparent in ('inbox_log'::regclass, 'outbox_log'::regclass, 'outbox_record_log'::regclass)
    and c.relname ~ '_[0-9]{6}$'
group by 1 having count(*) = 3
