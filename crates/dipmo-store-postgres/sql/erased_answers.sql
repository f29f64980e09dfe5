-- The messages that tell what became of the intents $1.
select m.id from outbox_log o
join inbox_log m on m.aggregate_id = o.reply_id
where o.id = any ($1::int8[]) and m.source_system = 'outcome'
  and case when m.message_id ~ '^outbox:[0-9]{1,18}(:|$)' then split_part(m.message_id, ':', 2)::int8 end = o.id
