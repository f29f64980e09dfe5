-- Keeps what a message said when it came, the first time that it is edited, and by whom it is edited now.
insert into inbox_edit as o (id, logged_at, payload, event_type, edits, edited_by, edited_at)
select m.id, m.received_at, m.payload, m.event_type, 1, $2, now() from inbox_log m where m.id = $1
on conflict (id) do update set edits = o.edits + 1, edited_by = excluded.edited_by, edited_at = excluded.edited_at
