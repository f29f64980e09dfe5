-- Finds those of the messages $1 that said something else before they were edited, and blanks that if $3; $2 stands there
-- then.
with open as materialized (
    select id from inbox_edit where id = any ($1::int8[]) and payload::text is distinct from $2::text),
blanked as (update inbox_edit e set payload = $2::text::json from open o where $3::boolean and e.id = o.id)
select count(*) from open
