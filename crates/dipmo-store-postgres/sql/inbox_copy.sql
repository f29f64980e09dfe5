-- Copies messages into the log. What runs inside it is known by this line.
copy inbox_log (id, message_id, source_system, topic, partition_num, offset_num, key_str,
    aggregate_id, event_type, event_version, source_version, payload, headers, raw_payload_base64,
    event_ts, originals, lane)
from stdin with (format binary)
