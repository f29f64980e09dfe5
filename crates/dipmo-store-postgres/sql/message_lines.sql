-- Lines of messages in a list. What is null was not asked for.
select m.id, m.message_id, m.source_system, m.topic, m.partition_num, m.offset_num, m.aggregate_id, m.event_type,
    m.received_at, m.lane, m.status, m.attempts, m.next_attempt_at, m.processed_at, m.outcome,
    m.parked_until is not null as parked, m.held_behind, m.error_stage, m.error_code, m.error_message
from inbox m
where {range}
  and ($4::varchar[] is null or m.status = any ($4))
  and case $5::varchar
      when 'held' then m.held and m.status in ('RECEIVED', 'RETRY')
      when 'parked' then m.parked_until is not null
      else true end
  and ($6::varchar is null or m.topic = $6)
  and ($7::varchar is null or m.event_type = $7)
  and ($8::varchar is null or m.source_system = $8)
  and ($9::varchar is null or m.aggregate_id = $9)
  and ($10::varchar is null or m.message_id = $10)
  and ($11::varchar is null or m.error_code = $11)
  and ($12::int8 is null or m.fingerprint = $12 and m.status <> 'PROCESSED')
  and ($13::timestamptz is null or m.received_at >= $13)
  and ($14::timestamptz is null or m.received_at < $14)
  and ($15::text is null or strpos(m.message_id, $15) > 0 or strpos(m.aggregate_id, $15) > 0
       or strpos(m.key_str, $15) > 0 or strpos(m.headers::text, $15) > 0 or strpos(m.payload::text, $15) > 0
       or strpos(m.error_message, $15) > 0)
