-- Finds what came with the id of one of the messages $1 or was about the aggregate $4, and blanks it if $3; $2 stands there
-- then. Incidents are few: they are read once.
with open as materialized (
    select ctid from inbox_incident
    where (inbox_id = any ($1::int8[]) or aggregate_id = $4::varchar)
      and (payload::text is distinct from $2::text or raw_payload_base64 is not null)
    for update),
blanked as (
    update inbox_incident set payload = $2::text::json, raw_payload_base64 = null
    where $3::boolean and ctid = any (array(select ctid from open)))
select count(*) from open
