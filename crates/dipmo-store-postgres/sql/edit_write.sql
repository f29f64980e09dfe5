-- What a message says from now on. It failed, so it has a row of its own, which tells the month to look into.
update inbox_log m set payload = $2::json, event_type = coalesce($3::varchar, m.event_type)
from inbox_exception e
where e.id = $1 and m.id = e.id and m.received_at = e.logged_at
