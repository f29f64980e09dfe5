-- Writes an intent again, as ?2 at ?4, that names the unit ?3 of the first. Nobody is answered: whoever wanted to
-- hear has heard of the first.
INSERT INTO outbox_log (id, aggregate_type, aggregate_id, event_type, event_version, payload, headers,
                        destination, created_at, cause_id, resend_of)
SELECT ?2, aggregate_type, aggregate_id, event_type, event_version, payload, headers, destination, ?4, cause_id, ?3
  FROM outbox_log WHERE id = ?1
