-- Takes chunks away that were delivered, and fails unless each is there with exactly the units that
-- were read: $5 says how many of the ids in $4 belong to each chunk.
with given as materialized (
    select destination, lane, id, ($4::int8[])[first : first + n - 1] as ids
    from (
        select destination, lane, id, n, (sum(n) over (order by o) - n + 1)::int4 as first
        from unnest($1::varchar[], $2::int2[], $3::int8[], $5::int4[]) with ordinality
            as u (destination, lane, id, n, o)) c),
gone as (
    delete from outbox_ready r using given u
    where r.destination = u.destination and r.lane = u.lane and r.id = u.id and r.ids = u.ids
    returning 1)
select dipmo_assert(count(*) = cardinality($1::varchar[]), 'fenced', 'a chunk of the outbox') from gone
