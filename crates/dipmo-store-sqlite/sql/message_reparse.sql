-- What a message says that could not be decoded when it came. Its bytes stay.
UPDATE inbox_log
   SET message_id = ?2, source_system = ?3, aggregate_id = ?4, event_type = ?5, event_version = ?6,
       source_version = ?7, payload = ?8, event_ts = ?9, originals = ?10, lane = ?11
 WHERE id = ?1
