-- Finds those of the messages or units $1 that tell of a failure, and blanks that if $3; $2 stands there then, and codes
-- stay.
with open as materialized (
    select id from {box}_exception where id = any ($1::int8[]) and error_message <> $2::text),
blanked as (update {box}_exception e set error_message = $2::text from open o where $3::boolean and e.id = o.id)
select count(*) from open
