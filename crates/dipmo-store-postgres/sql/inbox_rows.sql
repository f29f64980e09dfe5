-- The newest messages from $2 to $3 and where they stand.
select id, message_id, source_system, topic, partition_num, offset_num, key_str, aggregate_id,
    event_type, event_version, source_version, payload, headers, raw_payload_base64, event_ts,
    received_at, originals, lane, attempts, status, next_attempt_at, processed_at, outcome,
    held_behind, error_stage, error_code, error_message
from inbox where id between $2 and $3 order by id desc limit $1
