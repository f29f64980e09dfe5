-- Whom a message that is not new repeats: the first one's content and id.
SELECT content, inbox_id FROM inbox_dedupe WHERE key = ?1
