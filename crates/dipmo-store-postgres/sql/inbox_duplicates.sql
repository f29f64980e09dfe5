-- Whom messages that are not new repeat: the first one's id and content.
select key, content, inbox_id from inbox_dedupe where key = any ($1::uuid[])
