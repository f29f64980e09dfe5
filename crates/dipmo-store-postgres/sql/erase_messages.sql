-- Finds those of the messages $1 that are not blank, and blanks them if $3; $2 stands where a payload was.
with open as materialized (
    select id, received_at from {log}
    where id = any ($1::int8[])
      and (payload::text is distinct from $2::text or key_str is not null or headers is not null
           or raw_payload_base64 is not null or originals is not null)),
blanked as (
    update {log} m
    set payload = $2::text::json, key_str = null, headers = null, raw_payload_base64 = null, originals = null
    from open o where $3::boolean and m.id = o.id and m.received_at = o.received_at)
select count(*) from open
