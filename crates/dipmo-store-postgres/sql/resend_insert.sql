-- Writes intents $2 again, as $1, that name the units $3 of the first. Nobody is answered: whoever wanted to hear has
-- heard of the first. One that history forgot meanwhile undoes all of it.
with again as (
    insert into outbox_log (id, cause_id, event_version, lane, aggregate_type, aggregate_id, event_type, destination,
        headers, payload, resend_of)
    select u.id, o.cause_id, o.event_version, o.lane, o.aggregate_type, o.aggregate_id, o.event_type, o.destination,
        o.headers, o.payload, u.unit
    from unnest($1::int8[], $2::int8[], $3::int8[]) as u (id, intent, unit)
    cross join lateral (select * from outbox_log o where o.id = u.intent limit 1) o
    returning id)
select dipmo_assert(count(*) = cardinality($1), 'fenced', 'a unit that history forgot') from again
