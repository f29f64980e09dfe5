-- Recognises a message: changes one row when it is new, none when it is known.
INSERT INTO inbox_dedupe (key, content, inbox_id, received_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (key) DO NOTHING
