-- Those of the messages $1 whose aggregate was erased after they came, or that tell what became of an intent that is blank,
-- which $2 tells.
select m.id from inbox_log m
where m.id = any ($1::int8[])
  and (exists (select from dipmo_erased e where e.aggregate_id = m.aggregate_id and m.received_at <= e.erased_at)
       or m.source_system = 'outcome'
          and exists (
              select from outbox_log o
              where o.id = case when m.message_id ~ '^outbox:[0-9]{1,18}(:|$)' then split_part(m.message_id, ':', 2)::int8 end
                and o.payload::text = $2::text))
