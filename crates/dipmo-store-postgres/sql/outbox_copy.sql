-- Writes intents into the log.
copy outbox_log (id, cause_id, event_version, aggregate_type, aggregate_id, event_type,
    destination, reply_process, reply_id, headers, payload, lane)
from stdin with (format binary)
