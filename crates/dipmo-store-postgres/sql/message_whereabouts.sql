-- Where the messages of these dedupe ids stand; the status is null when a row is history.
select i.key, i.inbox_id, m.status, m.outcome, coalesce(m.attempts, 0), m.error_code
from inbox_dedupe i
left join lateral (
    select b.status, b.outcome, b.attempts, b.error_code from inbox b
    where b.id = i.inbox_id limit 1) m on true
where i.key = any ($1::uuid[])
