-- Takes chunks away that were delivered, and fails unless each is there as it was read.
with gone as (
    delete from outbox_ready r
    using unnest($1::varchar[], $2::int2[], $3::int8[], $4::int4[]) as u (destination, lane, id, units)
    where r.destination = u.destination and r.lane = u.lane and r.id = u.id
      and cardinality(r.ids) = u.units
    returning 1)
select dipmo_assert(count(*) = cardinality($1::varchar[]), 'fenced', 'a chunk of the outbox') from gone
