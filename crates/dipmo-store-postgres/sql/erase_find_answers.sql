-- The messages that told the instances $1 what became of the intents $2: they quote why something was not delivered.
select id from {log}
where aggregate_id = any ($1::varchar[]) and source_system = 'outcome'
  and case when message_id ~ '^outbox:[0-9]{1,18}(:|$)' then split_part(message_id, ':', 2)::int8 end = any ($2::int8[])
