-- What a message said when it came, if it was edited since.
select payload, event_type, edits, edited_by, edited_at from inbox_edit where id = $1
