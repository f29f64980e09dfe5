-- The newest incidents.
select inbox_id, source_system, message_id, topic, partition_num, offset_num, raw_payload_base64,
    payload, received_at
from inbox_incident order by received_at desc limit $1
