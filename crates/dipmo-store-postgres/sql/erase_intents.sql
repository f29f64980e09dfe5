-- Finds those of the intents $1 that are not blank, and blanks them if $3; $2 stands where a payload was.
with open as materialized (
    select id, created_at from {log}
    where id = any ($1::int8[]) and (payload::text <> $2::text or headers is not null)),
blanked as (
    update {log} m set payload = $2::text::json, headers = null
    from open o where $3::boolean and m.id = o.id and m.created_at = o.created_at)
select count(*) from open
