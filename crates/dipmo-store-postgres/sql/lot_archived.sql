-- The files of a lot that is aside are complete.
with archived as (
    update dipmo_lot
    set state = 'ARCHIVED', archived_at = now(), directory = $2::varchar, manifest = $3::varchar, row_count = $4,
        record_count = $5, file_count = $6, byte_count = $7
    where id = $1 and state = 'ASIDE'
    returning 1)
select dipmo_assert(count(*) = 1, 'fenced', 'lot ' || $1::int8) from archived
