-- How a message or unit ended after a detour, from the line of an archive.
INSERT INTO {box}_exception (id, logged_at, ended_at, queue, lane, order_key, status, outcome, attempts, retried,
                             error_stage, error_code, error_message, external_ref, fingerprint, held)
SELECT ?1 ->> 'id', ?1 ->> '$.exception.logged_at', ?1 ->> '$.exception.ended_at', ?1 ->> '$.exception.queue',
       ?1 ->> '$.exception.lane', ?1 ->> '$.exception.order_key', ?1 ->> '$.exception.status',
       ?1 ->> '$.exception.outcome', ?1 ->> '$.exception.attempts', ?1 ->> '$.exception.retried',
       ?1 ->> '$.exception.error_stage', ?1 ->> '$.exception.error_code', ?1 ->> '$.exception.error_message',
       ?1 ->> '$.exception.external_ref', ?1 ->> '$.exception.fingerprint', 0
 WHERE ?1 ->> '$.exception.status' IS NOT NULL
ON CONFLICT (id) DO NOTHING
